// Servers that list no tasks: the tasks are given, or are seeds, and the real NeMo Gym plays their rows. One is what
// `openenv init` makes, as it comes, by its folder.

import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { counting, countingMoves } from './support/counting.js';
import { NemoGym, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, gymgen, mustGymgen, startGymgen, tempFolder } from './support/gymgen.js';
import { modelServer } from './support/model-server.js';
import { endings } from './support/processes.js';
import { type GivenRow, playGiven, readAllAsGym } from './support/run-python.js';
import { counter, project, type Server } from './support/servers.js';
import { toolchainEnv, venv } from './support/toolchain.js';

const root = tempFolder();
const work = tempFolder();
const ending = endings();
let counting_: Server;
let scaffold: Server;
let gym: NemoGym;

const STARTS = Array.from({ length: 12 }, (_, at) => ({ reset: { start: at % 3, goal: 4 + at }, id: `from-${at}` }));

beforeAll(async () => {
  writeJsonLines(join(work, 'tasks.jsonl'), STARTS);
  const openenv = join(await venv('gym'), 'bin', 'openenv');
  await execa(openenv, ['init', 'demo_env'], { cwd: work, env: toolchainEnv() });
  counting_ = ending(await counter());
  scaffold = ending(await project(join(work, 'demo_env')));
  gym = ending(await NemoGym.on(root));
});

const rowsOf = (name: string) => readJsonLines<GivenRow>(join(folderOf(root, name), 'data/train.jsonl'));
const promptOf = (row: GivenRow) => row.responses_create_params.input.at(-1)?.content ?? '';

describe('a server without tasks', () => {
  test('needs to be told of some, in one of two ways', async () => {
    const { exitCode, stdout, stderr } = await gymgen(counting_.url, join(work, 'none'));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/no Task API.*\n.*\n.*--episodes N.*--tasks FILE/);
  });

  test('is written from a file of tasks: what their resets show is in the prompts', async () => {
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

  test('whose seeds change nothing is one row, and says so', async () => {
    const given = ['--episodes', '20', '--config-url', scaffold.url];
    const { exitCode, stderr } = await startGymgen(['./demo_env', root, ...given], toolchainEnv(), work);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain("sessions with different values of 'seed' were alike, so one row is written");
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

test("the scaffold's passes gym env validate", () => gym.run('env', 'validate', '--config', gym.config('demo_env')));

describe('rollouts', () => {
  let rollouts: Rollout[];

  beforeAll(async () => {
    const model = ending(
      await modelServer((asked) =>
        asked.prompt.includes('echoed_message')
          ? (['Hi', 'Hello there'].map((message) => ({ call: 'step', arguments: { message } }))[
              asked.answers.length
            ] ?? {
              say: 'Bye.',
            })
          : counting(asked),
      ),
    );
    await gym.start(['counter_v1', 'demo_env'], model);
    const file = join(work, 'rows.jsonl');
    const rows = [...rowsOf('counter_v1'), ...rowsOf('demo_env')];
    writeJsonLines(file, rows);
    rollouts = await gym.play(file, '--concurrency', '4');
  });

  test('have the sum of what the steps of a direct play give', async () => {
    const rows = rowsOf('counter_v1');
    const episodes = rows.map((row) => ({ reset: row.reset, moves: countingMoves(promptOf(row)) }));
    const direct = await playGiven({ url: counting_.url, interface: 'action', episodes });
    const sums = direct.map((rewards) => rewards.reduce<number>((sum, reward) => sum + (reward ?? 0), 0));
    const got = new Map(rollouts.map(({ task_id, reward }) => [task_id, reward]));
    expect(rows.map(({ task_id }) => got.get(task_id))).toEqual(sums);
    expect(new Set(sums).size).toBeGreaterThan(4);
  });

  test('of the scaffold have its own rewards: a tenth a letter, at most 1', () => {
    const [reward] = rollouts.flatMap(({ task_id, reward }) => (task_id === 'train-0' ? [reward] : []));
    expect(reward).toBeCloseTo(0.2 + 1);
  });

  test('are not masked', () => {
    expect(rollouts).toHaveLength(13);
    expect(rollouts.filter(({ mask_sample }) => mask_sample)).toEqual([]);
  });
});
