// A rollout is masked if and only if its environment failed. Real NeMo Gym runs written servers, while their OpenEnv
// servers misbehave, are killed, or serve other tasks than the rows name.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Conversation, modelServer } from '../../src/play/index.js';
import { NemoGym, outcome, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, mustGymgen, tempFolder } from './support/gymgen.js';
import { MOVES, operator, SCHEDULE } from './support/operator.js';
import { freePort } from './support/ports.js';
import { endings } from './support/processes.js';
import { playDirectly, playOverMcp, type Row } from './support/run-python.js';
import { type Faulty, faulty } from './support/servers.js';

const NAME = 'faulty';
const TYPED = 'faulty_single_agent_turn';
/** In seconds. A late call takes much longer than the tool's time limit, and any other call much less. */
const LIMITS = ['--tool-timeout', '10', '--reset-timeout', '30', '--idle-timeout', '120'];
const LATE_S = 15;

const root = tempFolder();
const ending = endings();
let server: Faulty;
let gym: NemoGym;
let port: number;
let rows: Row[];
let rewards: Map<string, number | null>;
/** Plays all rollouts in one run, because `gym eval run` takes seconds to start. */
let together: Record<'sound' | 'faults' | 'foreign', Map<string, Rollout>>;

/** Called on each request to the model, before the model replies. */
let meanwhile: (asked: Conversation) => Promise<void> = async () => {};

const lastOf = (id: string) => id.split('/').at(-1) ?? '';
const data = (name: string, split: string) => readJsonLines<Row>(join(folderOf(root, name), `data/${split}.jsonl`));

/** Plays rows, and returns their rollouts by the last segment of the task's id. No rollout may be missing. */
async function play(played: object[], ...args: string[]): Promise<Map<string, Rollout>> {
  const file = join(root, 'rows.jsonl');
  writeJsonLines(file, played);
  const rollouts = await gym.play(file, ...args);
  expect(rollouts).toHaveLength(played.length);
  return new Map(rollouts.map((rollout) => [lastOf(rollout.task_id), rollout]));
}

const outcomes = (rollouts: Map<string, Rollout>) =>
  Object.fromEntries([...rollouts].map(([task, rollout]) => [task, outcome(rollout)]));
const direct = (played: Row[]) =>
  Object.fromEntries(played.map(({ task_id }) => [lastOf(task_id), rewards.get(lastOf(task_id))]));

const soundRows = () => rows.slice(0, 24);

/** A written row, and variants: another task, no task, other parameters, a missing tool, and an additional tool. */
function foreignRows(): [Row, Row, Row, Row, Row, Row] {
  const changed = rows.slice(48, 54).map((row) => structuredClone(row)) as [Row, Row, Row, Row, Row, Row];
  const [, otherTask, noSuchTask, otherParameters, fewerTools, moreTools] = changed;
  otherTask.index = 150;
  noSuchTask.index = 2_000_000;
  const [submit] = otherParameters.responses_create_params.tools;
  if (submit) submit.parameters = { type: 'object', properties: { plan: { type: 'string' } } };
  fewerTools.responses_create_params.tools.splice(1, 1);
  const ask = {
    type: 'function',
    name: 'ask',
    description: '',
    parameters: { type: 'object' },
    strict: false,
  } as const;
  moreTools.responses_create_params.tools.push(ask);
  return changed;
}

/** A pairing for Gym's typed protocol, in addition to the written one. */
function typedConfig(): string {
  const agent = `${TYPED}_agent`;
  const resources = { resources_server: { type: 'resources_servers', name: NAME } };
  const config = {
    [agent]: {
      responses_api_agents: {
        simple_agent: {
          entrypoint: 'app.py',
          ...resources,
          model_server: { type: 'responses_api_models', name: 'policy_model' },
        },
      },
    },
    [TYPED]: {
      environment_servers: {
        single_agent_turn: {
          entrypoint: 'app.py',
          ...resources,
          agent_server: { type: 'responses_api_agents', name: agent },
          resources_tool_transports: ['direct_http'],
          max_concurrent_episodes: null,
          queue_timeout_seconds: null,
          default_episode_timeout_seconds: 600,
          cleanup_timeout_seconds: 60,
        },
      },
    },
  };
  const file = join(root, 'typed.yaml');
  writeFileSync(file, JSON.stringify(config)); // JSON is YAML, too
  return file;
}

beforeAll(async () => {
  server = ending(await faulty());
  await mustGymgen(server.url, root, '--name', NAME, ...LIMITS);
  rows = data(NAME, 'eval');
  const episodes = rows.map(({ split, index }) => ({ split, index, moves: MOVES }));
  const played = await playDirectly(server.url, episodes);
  rewards = new Map(rows.map(({ task_id }, at) => [lastOf(task_id), played[at]?.reward ?? null]));

  const policy = async (asked: Conversation) => {
    await meanwhile(asked);
    return operator(asked);
  };
  const model = ending(await modelServer(policy));
  gym = ending(await NemoGym.on(root));
  port = await freePort();
  const block = `++${NAME}.resources_servers.${NAME}`;
  const settings = [`${block}.expose_tools_over_mcp=true`, `${block}.port=${port}`, `${block}.host=127.0.0.1`];
  await gym.start([NAME], model, '--config', typedConfig(), ...settings);
  await playTogether({ sound: soundRows(), faults: data(NAME, 'faults'), foreign: foreignRows() });
});

async function playTogether(parts: Record<keyof typeof together, Row[]>): Promise<void> {
  await server.control({ slow_s: 2 });
  const rollouts = await play(Object.values(parts).flat(), '--concurrency', '32');
  await server.control(undefined, '/control');
  const of = (part: Row[]) =>
    new Map([...rollouts].filter(([task]) => part.some(({ task_id }) => lastOf(task_id) === task)));
  together = { sound: of(parts.sound), faults: of(parts.faults), foreign: of(parts.foreign) };
}

describe('rollouts without faults have the rewards of a run without NeMo Gym', () => {
  test('through simple_agent and legacy_agent', () => {
    expect(outcomes(together.sound)).toEqual(direct(soundRows()));
  });

  test('through single_agent_turn, which has typed sessions', async () => {
    const some = rows.slice(24, 48);
    const materialized = some.map(({ responses_create_params, agent_ref: _, ...task_data }, at) => ({
      task_id: { taskset: 'eval', task_id: String(at) },
      task_input: { responses_create_params, task_data },
    }));
    const file = join(root, 'typed.jsonl');
    writeJsonLines(file, materialized);
    const rollouts = await gym.play(file, '--concurrency', '8', `++environment_server_routes.eval=${TYPED}`);
    expect(rollouts.map(outcome).sort()).toEqual(Object.values(direct(some)).sort());
  });

  test('over MCP, with the tools of the row', async () => {
    const row = rows[0] as Row;
    const played = await playOverMcp(`http://127.0.0.1:${port}`, row, 'submit_schedule', { schedule: SCHEDULE });
    expect(played).toEqual({
      tools: ['submit_schedule', 'wait', 'end_turn'],
      text: 'accepted',
      reward: rewards.get(lastOf(row.task_id)),
    });
  });
});

test('a run with every fault completes, and each rollout is scored or masked as expected', () => {
  const found = outcomes(together.faults);
  const scored = ['none', 'slow_reset', 'slow_tool', 'slow_end', 'tool_error', 'tool_raises', 'tool_done'];
  for (const fault of scored) {
    expect(found[`fault-${fault}`], fault).toEqual(fault === 'tool_raises' ? 0 : expect.any(Number));
    delete found[`fault-${fault}`];
  }
  expect(found).toEqual({
    'fault-reset_raises': 'provider_unavailable',
    'fault-reset_failed': 'provider_unavailable',
    'fault-reset_hangs': 'transport_timeout',
    'fault-tool_failed': 'openenv:episode_failed',
    'fault-tool_hangs': 'transport_timeout',
    'fault-crash_idle': 'transport_peer_drop',
    'fault-crash_in_call': 'transport_peer_drop',
    'fault-drop_in_call': 'transport_peer_drop',
    'fault-end_raises': 'openenv:episode_failed',
    'fault-end_failed': 'openenv:episode_failed',
    'fault-end_hangs': 'transport_timeout',
    'fault-no_reward': 'openenv:unscored',
    'fault-wrong_task': 'openenv:wrong_task',
  });
});

test('if 5 % of the messages are dropped, late or failing, no reward is wrong and no rollout is lost', async () => {
  await server.control({ rate: 0.05, late_s: LATE_S, seed: 11 }, '/control/chaos');
  const rollouts = await play(rows, '--concurrency', '64');
  const struck = (await server.control(undefined, '/control/chaos')).sessions as Record<string, number>;
  await server.control({ rate: 0 }, '/control/chaos');
  const untouched = rows.filter(({ split, index }) => !struck[`${split} ${index}`]);
  const masked = [...rollouts.values()].filter(({ mask_sample }) => mask_sample);
  expect(Object.keys(struck).length).toBeGreaterThan(20);
  expect(masked.length).toBeGreaterThan(10);
  for (const { task_id } of untouched) {
    expect(outcome(rollouts.get(lastOf(task_id))), task_id).toEqual(rewards.get(lastOf(task_id)));
  }
  for (const rollout of rollouts.values()) {
    const allowed = rollout.mask_sample ? 0 : rewards.get(lastOf(rollout.task_id));
    expect(rollout.reward, rollout.task_id).toEqual(allowed);
    if (rollout.mask_sample) expect(rollout.failure_reason).toBeTruthy();
  }
});

test('a server that is killed and restarted loses only the rollouts that it was playing', async () => {
  const held = 4;
  let asked = 0;
  let release = () => {};
  const back = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Each of the first rollouts has a session when the model is asked. Then the server is killed, and the rollouts
  // continue.
  meanwhile = async ({ answers }) => {
    if (answers.length !== 1 || ++asked > held) return;
    if (asked === held) {
      await server.killAndReplace();
      release();
    }
    await back;
  };
  const some = rows.slice(0, 24);
  const rollouts = await play(some, '--concurrency', String(held));
  meanwhile = async () => {};
  const masked = [...rollouts.values()].filter(({ mask_sample }) => mask_sample);
  expect(masked.map(({ failure_kind }) => failure_kind)).toEqual(Array(held).fill('transport_peer_drop'));
  const lost = Object.fromEntries(masked.map(({ task_id }) => [lastOf(task_id), 'transport_peer_drop']));
  expect(outcomes(rollouts)).toEqual({ ...direct(some), ...lost });
});

test('rows of another server are masked, each with its own reason', () => {
  const [asWritten, otherTask, noSuchTask, otherParameters, fewerTools, moreTools] = foreignRows();
  expect(outcomes(together.foreign)).toEqual({
    ...direct([asWritten, moreTools]),
    [lastOf(otherTask.task_id)]: 'openenv:wrong_task',
    [lastOf(noSuchTask.task_id)]: 'provider_unavailable',
    [lastOf(otherParameters.task_id)]: 'openenv:wrong_tools',
    [lastOf(fewerTools.task_id)]: 'openenv:wrong_tools',
  });
});
