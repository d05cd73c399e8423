// Bundles by the URL of AgentEnv's own OpenEnv server, and by their folders, without a server that is started by hand.
// gymgen writes them and NeMo Gym plays them, three bundles in both ways.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Conversation, modelServer } from '../../src/play/index.js';
import { withoutTime } from '../support/without-time.js';
import { NemoGym, outcome, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, gymgen, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { withoutHome } from './support/mcp-servers.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { type Played, playDirectly, type Row, readAllAsGym } from './support/run-python.js';
import { type AgentEnv, agentEnv } from './support/servers.js';
import { movesOf, solver } from './support/solver.js';
import { venv } from './support/toolchain.js';

/** NeMo Gym has a route with this name. */
const RENAMED = { stats: 'statistics' };
const RENAME = ['--rename-tool', 'stats=statistics'];

const BUNDLES = {
  'qa-v1': { options: [], rows: { 'all.jsonl': 5, 'eval.jsonl': 2, 'train.jsonl': 3 } },
  // A late call exceeds this limit soon
  'tools-v1': {
    options: [...RENAME, '--tool-timeout', '10'],
    rows: { 'all.jsonl': 8, 'eval.jsonl': 3, 'train.jsonl': 5 },
  },
  'multi-v1': {
    options: [...RENAME, '--append-system-prompt', 'End each of your turns by calling end_turn with your reply.'],
    rows: { 'all.jsonl': 6, 'eval.jsonl': 1, 'train.jsonl': 2 },
  },
};
type Bundle = keyof typeof BUNDLES;
const bundles = Object.keys(BUNDLES) as Bundle[];
type Way = 'url' | 'folder';
const each = (['url', 'folder'] as const).flatMap((way) => bundles.map((bundle) => [bundle, way] as const));

/**
 * Tasks that are only in the split `all`. The task with a time limit is not played, because its result depends on
 * timing.
 */
const ALSO_PLAYED = ['unscored', 'same-conversation'];

const root = tempFolder();
const ending = endings();
const servers = {} as Record<Bundle, AgentEnv>;
/** Identifies all processes that serve bundles here. */
const MARK = `GYMGEN_E2E_AGENTENV=${root}`;
const serving = () => processesWith(MARK).filter(({ command }) => command.includes('serve_bundle.py'));
/** The variables that are needed to serve a bundle. */
let env: Record<string, string>;

const lastOf = (id: string) => id.split('/').at(-1) ?? '';
const nameOf = (bundle: Bundle, way: Way) => bundle.replace('-', '_') + (way === 'folder' ? '_bundle' : '');
const rowsOf = (bundle: Bundle, way: Way, split: string) =>
  readJsonLines<Row>(join(folderOf(root, nameOf(bundle, way)), `data/${split}.jsonl`));
const played = (bundle: Bundle) => [
  ...rowsOf(bundle, 'url', 'train'),
  ...rowsOf(bundle, 'url', 'eval'),
  ...rowsOf(bundle, 'url', 'all').filter(({ task_id }) => ALSO_PLAYED.includes(lastOf(task_id))),
];
const toolNames = ({ responses_create_params: { tools } }: Row) => tools.map(({ name }) => name);

beforeAll(async () => {
  for (const bundle of bundles) servers[bundle] = ending(await agentEnv(bundle));
  env = { ...withoutHome(servers['qa-v1'].env), GYMGEN_E2E_AGENTENV: root };
});

describe('the rows', () => {
  test("are not written if a tool has the name of one of Gym's routes", async () => {
    const oneOfThem = ['--split', 'train', '--limit', '1'];
    const args = [servers['tools-v1'].url, root, '--rename-tool', 'stats=verify', ...oneOfThem];
    const { exitCode, stdout, stderr } = await gymgen(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/tool 'stats', renamed 'verify'.*--rename-tool stats=/);
    expect(existsSync(folderOf(root, 'tools_v1'))).toBe(false);
  });

  test.for(each)('of %s are written by its %s', async ([bundle, way]) => {
    const name = nameOf(bundle, way);
    const { url, bundle: folder } = servers[bundle];
    const args = [{ url, folder }[way], root, '--name', name, ...BUNDLES[bundle].options];
    const { exitCode, stdout, stderr } = await startGymgen(args, { ...env, VIRTUAL_ENV: await venv('agentenv') });
    expect({ exitCode, stdout: withoutTime(stdout) }, stderr).toEqual({
      exitCode: 0,
      stdout: `wrote ${folderOf(root, name)}\n`,
    });
    expect(serving()).toEqual([]);
  });

  test("are read by NeMo Gym's own models, and the configs by its parser", async () => {
    const read = await readAllAsGym(
      root,
      each.map(([bundle, way]) => nameOf(bundle, way)),
    );
    for (const [bundle, way] of each) {
      const name = nameOf(bundle, way);
      expect(read[name]?.rows, name).toEqual(BUNDLES[bundle].rows);
      const { url, bundle: folder } = servers[bundle];
      const server = read[name]?.config[name].resources_servers[name];
      const wanted = { url: [url, undefined, undefined], folder: [undefined, folder, 8] };
      expect([server.url, server.bundle, server.max_concurrent_envs], name).toEqual(wanted[way]);
    }
  });

  test('name tasks without the path of the machine that serves them', () => {
    for (const [bundle, way] of each) {
      for (const { task_id } of rowsOf(bundle, way, 'all'))
        expect(task_id).toMatch(new RegExp(`^@local/${bundle}/[\\w-]+$`));
    }
  });

  test('are the same from the URL and the folder, except for the name of the agent', () => {
    const without = (rows: Row[]) => rows.map(({ agent_ref: _, ...row }) => row);
    for (const bundle of bundles) {
      expect(without(rowsOf(bundle, 'folder', 'train'))).toEqual(without(rowsOf(bundle, 'url', 'train')));
    }
  });

  test('of tools-v1 have the tools of their own task, although no task declares its toolset', () => {
    const tools = Object.fromEntries(
      rowsOf('tools-v1', 'url', 'all').map((row) => [lastOf(row.task_id), toolNames(row)]),
    );
    const [calc, notes] = [
      ['calculate', 'convert', 'statistics'],
      ['search_notes', 'add_note', 'read_note'],
    ];
    expect(tools['calc-sum']).toEqual([...calc, 'end_turn']);
    expect(tools['notes-find']).toEqual([...notes, 'end_turn']);
    expect(new Set(tools['both-budget'])).toEqual(new Set([...calc, ...notes, 'end_turn']));
    expect(tools['no-tools']).toEqual(['end_turn']);
  });

  test('of multi-v1 tell the model to end its turns', () => {
    const messages = rowsOf('multi-v1', 'url', 'train').map(({ responses_create_params: { input } }) => input);
    for (const [first] of messages) expect(first?.content).toMatch(/end_turn with your reply\.$/);
  });

  test('of tools-v1 by its folder have the toolsets of the task files, each found by one probe', () => {
    const { texts } = snapshot(folderOf(root, nameOf('tools-v1', 'folder')));
    const { toolsets } = JSON.parse(texts['toolsets.json'] ?? '') as { toolsets: { key: string; tasks: unknown[] }[] };
    expect(toolsets.map(({ key, tasks }) => [key.replace(/-[0-9a-f]{8}$/, ''), tasks.length])).toEqual([
      ['toolset:calc+notes', 1],
      ['toolset:calc', 1],
      ['toolset:no-env', 1],
      ['toolset:notes', 1],
    ]);
  });
});

describe('rollouts', () => {
  const rows = {} as Record<Bundle, Row[]>;
  const direct = {} as Record<Bundle, Played[]>;
  let rollouts: Rollout[];
  let gym: NemoGym;
  /** The task of each prompt. */
  let prompts: Map<string, string>;
  /** Called on each request to the model. */
  let meanwhile: (asked: Conversation) => void = () => {};

  /** A row that was written from the bundle's URL or folder. */
  const rolloutOf = ({ split, task_id }: Row, bundle: Bundle, way: Way) =>
    rollouts.find(
      (rollout) =>
        rollout.task_id === task_id &&
        rollout.split === split &&
        rollout.agent_ref.name === `${nameOf(bundle, way)}_simple_agent`,
    );

  beforeAll(async () => {
    for (const bundle of bundles) rows[bundle] = played(bundle);
    const everyRow = bundles.flatMap((bundle) => rows[bundle]);
    prompts = new Map(everyRow.map((row) => [row.responses_create_params.input.at(-1)?.content ?? '', row.task_id]));
    const solve = solver(prompts, RENAMED);
    const policy = (asked: Conversation) => {
      meanwhile(asked);
      return solve(asked);
    };
    const model = ending(await modelServer(policy));
    gym = ending(await NemoGym.on(root, env));
    await gym.start(
      each.map(([bundle, way]) => nameOf(bundle, way)),
      model,
    );
    const file = join(root, 'rows.jsonl');
    writeJsonLines(file, [...everyRow, ...bundles.flatMap((bundle) => rowsOf(bundle, 'folder', 'train'))]);
    rollouts = await gym.play(file, '--concurrency', '8');
    for (const bundle of bundles) {
      const episodes = rows[bundle].map(({ split, index, task_id }) => ({ split, index, moves: movesOf(task_id) }));
      direct[bundle] = await playDirectly(servers[bundle].url, episodes);
    }
  });

  test.for(each)('of %s by its %s have the rewards of a run without NeMo Gym', ([bundle, way]) => {
    const compared = [...rows[bundle].entries()].filter(([, { split }]) => way === 'url' || split === 'train');
    expect(compared.length).toBeGreaterThan(0);
    for (const [at, row] of compared) {
      const rollout = rolloutOf(row, bundle, way);
      const reward = direct[bundle][at]?.reward;
      expect(rollout?.mask_sample ? 'masked' : rollout?.reward, row.task_id).toBe(reward === null ? 'masked' : reward);
    }
  });

  test('are masked only if there is no score', () => {
    const masked = rollouts.filter(({ mask_sample }) => mask_sample);
    expect(masked.map(({ task_id, reward }) => [lastOf(task_id), reward])).toEqual([['unscored', 0]]);
  });

  test('have full, zero and partial rewards', () => {
    const rewards = (bundle: Bundle) => new Set(rows[bundle].map((row) => rolloutOf(row, bundle, 'url')?.reward));
    expect(rewards('qa-v1')).toEqual(new Set([0, 1]));
    expect(rewards('tools-v1')).toEqual(new Set([0, 1]));
    expect(rewards('multi-v1')).toEqual(new Set([0, 0.75, 1]));
  });

  test.for(bundles)('of %s are played with the tools that the rows show', (bundle) => {
    for (const [at, { task_id, responses_create_params }] of rows[bundle].entries()) {
      const offered = new Map(direct[bundle][at]?.tools.flat().map((tool) => [tool.name, tool]));
      const asRow = [...offered.values()].map(({ name, description, input_schema: parameters }) => {
        const shown = name === 'stats' ? RENAMED.stats : name;
        return { type: 'function', name: shown, description: description ?? '', parameters, strict: false };
      });
      expect(responses_create_params.tools, task_id).toEqual(asRow);
    }
  });

  test('are masked if an environment of the bundle ends during the episode; rollouts without it continue', async () => {
    const pid = servers['tools-v1'].servers.calc?.pid as number;
    // When the model has this many tool outputs on a task, the calculator's server is stopped by a signal.
    const signals: Record<string, [answers: number, signal: NodeJS.Signals]> = {
      'calc-convert': [1, 'SIGSTOP'],
      'notes-count': [0, 'SIGCONT'],
      'both-budget': [1, 'SIGKILL'],
    };
    const names = [...Object.keys(signals), 'calc-sum', 'notes-find'];
    const all = rowsOf('tools-v1', 'url', 'all');
    const some = names.map((name) => all.find(({ task_id }) => lastOf(task_id) === name) as Row);
    meanwhile = ({ prompt, answers }) => {
      const [after, signal] = signals[lastOf(prompts.get(prompt) ?? '')] ?? [];
      if (signal && answers.length === after) process.kill(pid, signal);
    };
    const file = join(root, 'some.jsonl');
    writeJsonLines(file, some);
    const found = await gym.play(file, '--concurrency', '1');
    expect(Object.fromEntries(found.map((rollout) => [lastOf(rollout.task_id), outcome(rollout)]))).toEqual({
      'calc-convert': 'transport_timeout',
      'notes-count': 0,
      'both-budget': 'transport_peer_drop',
      'calc-sum': 'provider_unavailable',
      'notes-find': 1,
    });
  });

  test('leave no process that serves a bundle once NeMo Gym has ended', async () => {
    expect(serving()).toHaveLength(bundles.length);
    for (const { pid, command } of processesWith(MARK)) {
      if (command.includes('env start')) process.kill(pid, 'SIGINT');
    }
    expect(await eventually(serving, ({ length }) => length === 0, 30_000)).toEqual([]);
  });
});
