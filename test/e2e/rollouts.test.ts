// Real NeMo Gym plays what gymgen wrote: gridsim, and servers that list no tasks, with provided tasks or seeds. One of
// these is an unchanged project of `openenv init`, which gymgen serves by its folder.

import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Conversation, type Move, modelServer } from '../../src/play/index.js';
import { counting, countingMoves } from './support/counting.js';
import { NemoGym, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, gymgen, mustGymgen, startGymgen, tempFolder } from './support/gymgen.js';
import { endings } from './support/processes.js';
import { type GivenRow, playDirectly, playGiven, type Row, readAllAsGym } from './support/run-python.js';
import { counter, type Gridsim, gridsim, project, type Server } from './support/servers.js';
import { toolchainEnv, venv } from './support/toolchain.js';
import { movesOn, trader } from './support/trader.js';

const root = tempFolder();
const work = tempFolder();
const ending = endings();
let days: Gridsim;
let counting_: Server;
let scaffold: Server;
let gym: NemoGym;

const STARTS = Array.from({ length: 12 }, (_, at) => ({ reset: { start: at % 3, goal: 4 + at }, id: `from-${at}` }));

beforeAll(async () => {
  writeJsonLines(join(work, 'tasks.jsonl'), STARTS);
  const openenv = join(await venv('gym'), 'bin', 'openenv');
  await execa(openenv, ['init', 'demo_env'], { cwd: work, env: toolchainEnv() });
  days = ending(await gridsim());
  counting_ = ending(await counter());
  scaffold = ending(await project(join(work, 'demo_env')));
  gym = ending(await NemoGym.on(root));
});

const rowsOf = (name: string) => readJsonLines<GivenRow>(join(folderOf(root, name), 'data/train.jsonl'));
const promptOf = (row: GivenRow) => row.responses_create_params.input.at(-1)?.content ?? '';

describe('a server without tasks', () => {
  test('needs --tasks or --episodes', async () => {
    const { exitCode, stdout, stderr } = await gymgen(counting_.url, join(work, 'none'));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/no Task API.*\n.*\n.*--episodes N.*--tasks FILE/);
  });

  test('is written from a tasks file, with the observations of the resets in the prompts', async () => {
    const tasks = join(work, 'tasks.jsonl');
    const prompt = ['--prompt', 'Bring the counter to its goal.', '--max-steps', '20'];
    await mustGymgen(counting_.url, root, '--tasks', tasks, '--fix-field', 'factor=1', ...prompt);
    const rows = rowsOf('counter_v1');
    expect(rows.map(({ reset }) => reset)).toEqual(STARTS.map(({ reset }) => reset));
    expect(rows.map(({ task_id }) => task_id)).toEqual(STARTS.map(({ id }) => id));
    expect(promptOf(rows[1] as GivenRow)).toBe(
      'Bring the counter to its goal.\n\n{"count":1,"goal":5,"picture":"[2000 numbers, not shown]"}',
    );
    const [tool] = rows[0]?.responses_create_params.tools ?? [];
    expect(tool).toMatchObject({ name: 'step', description: 'Adds to the counter.' });
    const { properties } = (tool?.parameters ?? {}) as { properties?: object };
    expect(Object.keys(properties ?? {})).toEqual(['by', 'silent']);
  });

  test('whose seeds change nothing gives one row, with a warning', async () => {
    const given = ['--episodes', '20', '--config-url', scaffold.url];
    const { exitCode, stderr } = await startGymgen(['./demo_env', root, ...given], toolchainEnv(), work);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain("sessions with different values of 'seed' are equal, so one row is written");
    expect(stderr).not.toContain('uv run'); // it is served already
    expect(rowsOf('demo_env').map(({ reset, task_id }) => ({ reset, task_id }))).toEqual([
      { reset: { seed: 0 }, task_id: 'train-0' },
    ]);
  });
});

test("the folders are read by NeMo Gym's own models and parser", async () => {
  for (const [name, { config }] of Object.entries(await readAllAsGym(root, ['counter_v1', 'demo_env'])))
    expect(config[name].resources_servers[name]).toMatchObject({ interface: 'action', reward_rule: 'sum' });
});

test('the folder of the scaffold passes gym env validate', () =>
  gym.run('env', 'validate', '--config', gym.config('demo_env')));

describe('rollouts of rows of three servers at once', () => {
  let rollouts: Rollout[];
  let traded: Row[];

  const policy = (asked: Conversation): Move => {
    if (asked.tools.includes('submit_schedule')) return trader(asked);
    if (!asked.prompt.includes('echoed_message')) return counting(asked);
    const message = ['Hi', 'Hello there'][asked.answers.length];
    return message ? { call: 'step', arguments: { message } } : { say: 'Bye.' };
  };
  const of = (name: string) => rollouts.filter(({ agent_ref }) => agent_ref.name === `${name}_simple_agent`);

  beforeAll(async () => {
    await mustGymgen(days.url, root);
    traded = readJsonLines<Row>(join(folderOf(root, 'gridsim_v1'), 'data/eval.jsonl'));
    await gym.start(['gridsim_v1', 'counter_v1', 'demo_env'], ending(await modelServer(policy)));
    const file = join(work, 'rows.jsonl');
    writeJsonLines(file, [...traded, ...rowsOf('counter_v1'), ...rowsOf('demo_env')]);
    rollouts = await gym.play(file, '--concurrency', '16');
  });

  test('are not masked', () => {
    expect(rollouts).toHaveLength(200 + 12 + 1);
    expect(rollouts.filter(({ mask_sample, failure_reason }) => mask_sample || failure_reason)).toEqual([]);
  });

  test('of 200 gridsim rows have the rewards that the openenv client gets for the same schedules', async () => {
    const episodes = traded.map(({ split, index, responses_create_params: { input } }) => {
      return { split, index, moves: movesOn(input.at(-1)?.content ?? '') };
    });
    const direct = (await playDirectly(days.url, episodes)).map(({ reward }) => reward);
    const rewards = new Map(of('gridsim_v1').map(({ task_id, reward }) => [task_id, reward]));
    expect(traded.map(({ task_id }) => rewards.get(task_id))).toEqual(direct);
    expect(new Set(direct).size, 'rewards of many sizes, or equality says little').toBeGreaterThan(50);
  });

  test('of provided tasks have the sum of the rewards of a run without NeMo Gym', async () => {
    const rows = rowsOf('counter_v1');
    const episodes = rows.map((row) => ({ reset: row.reset, moves: countingMoves(promptOf(row)) }));
    const direct = await playGiven({ url: counting_.url, interface: 'action', episodes });
    const sums = direct.map((rewards) => rewards.reduce<number>((sum, reward) => sum + (reward ?? 0), 0));
    const got = new Map(of('counter_v1').map(({ task_id, reward }) => [task_id, reward]));
    expect(rows.map(({ task_id }) => got.get(task_id))).toEqual(sums);
    expect(new Set(sums).size).toBeGreaterThan(4);
  });

  test('of the scaffold have its own rewards: 0.1 per letter, up to 1', () => {
    expect(of('demo_env').map(({ reward }) => reward)).toEqual([expect.closeTo(0.2 + 1)]);
  });

  test('leave no session open', async () => {
    expect(await days.leftOpen()).toBe(0);
  });
});
