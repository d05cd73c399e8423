// The public environments of the OpenEnv repository, served unchanged: gymgen writes them, and real NeMo Gym validates
// and plays them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Move, modelServer } from '../../src/play/index.js';
import { NemoGym, type Rollout, readJsonLines, writeJsonLines } from '../e2e/support/gym.js';
import { folderOf, startGymgen, tempFolder } from '../e2e/support/gymgen.js';
import { endings } from '../e2e/support/processes.js';
import { type GivenRow, playGiven, readAsGym } from '../e2e/support/run-python.js';
import { ENVIRONMENTS, type Environment, NOT_PLAYED, REFUSED } from './environments.js';
import { commandBlock, counted, page } from './support/page.js';
import { player } from './support/player.js';
import { folderIn, isProject, served } from './support/repository.js';

const ROLLOUTS = 10;

/** A written environment, and the URL of its server. */
interface Written extends Pick<Environment, 'plays'> {
  url: string;
  name: string;
  rows: GivenRow[];
  /** The moves of each row's rollouts. */
  moves: Move[][][];
  interface: 'tools' | 'action';
  tools: string[];
  rule: string;
  /** What differs between its tasks, as gymgen found. */
  varies: string;
  /** The results of the rollouts. */
  rewards?: number[];
}

const root = tempFolder();
const work = tempFolder();
const ending = endings();
const written = new Map<string, Written>();
const refused = new Set<string>();
let gym: NemoGym;

beforeAll(async () => {
  gym = ending(await NemoGym.on(root));
});

const promptOf = (row: GivenRow) => row.responses_create_params.input.at(-1)?.content ?? '';
const sum = (rewards: (number | null)[]) => rewards.reduce<number>((all, reward) => all + (reward ?? 0), 0);

const one = (folder: string): Written => {
  const found = written.get(folder);
  if (found === undefined) throw new Error(`${folder} was not written`);
  return found;
};

describe.for(ENVIRONMENTS)('$folder', ({ folder, options, tasks, env = () => ({}), plays }) => {
  test('is written', async () => {
    const needs = env(work);
    const { url } = ending(await served(folder, needs));
    if (tasks) writeJsonLines(join(work, tasks.file), tasks.lines);
    // While it writes, gymgen serves a project itself, too. NeMo Gym plays on this server, which keeps running.
    const source = isProject(folder) ? [folderIn(folder), root, '--config-url', url] : [url, root];
    const given = tasks ? ['--tasks', join(work, tasks.file)] : ['--episodes', '10'];
    const { exitCode, stdout, stderr } = await startGymgen([...source, ...given, ...options, '--json'], needs);
    expect(exitCode, stderr).toBe(0);
    const { name, toolsets, notes } = JSON.parse(stdout);
    const rows = readJsonLines<GivenRow>(join(folderOf(root, name), 'data/train.jsonl'));
    expect(rows).toHaveLength(tasks?.lines.length ?? 1);
    const { config } = await readAsGym(root, name);
    const server = config[name].resources_servers[name];
    written.set(folder, {
      ...{ url, name, rows, plays },
      moves: rows.map((row) => {
        const ways = plays(row);
        return Array.from({ length: ROLLOUTS / rows.length }, (_, at) => ways[at % ways.length] as Move[]);
      }),
      interface: server.interface ?? 'tools',
      tools: toolsets.flatMap((toolset: { tools: string[] }) => toolset.tools),
      rule: server.reward_rule,
      varies: /what is played follows from the ([^,]+)/.exec(notes.join('\n'))?.[1] ?? 'nothing',
    });
  });

  test('passes gym env validate', async () => {
    await gym.run('env', 'validate', '--config', gym.config(one(folder).name));
  });
});

describe('rollouts', () => {
  let rollouts: Rollout[];

  beforeAll(async () => {
    const all = [...written.values()];
    const ways = all.flatMap(({ rows, plays }) => rows.map((row) => [promptOf(row), plays(row)] as const));
    expect(new Set(ways.map(([prompt]) => prompt)).size).toBe(ways.length);
    const model = ending(await modelServer(player(new Map(ways))));
    const names = all.map(({ name }) => name);
    await gym.start(names, model);
    const file = join(work, 'rows.jsonl');
    const rows = all.flatMap(({ rows, moves }) => rows.flatMap((row, at) => moves[at]?.map(() => row) ?? []));
    writeJsonLines(file, rows);
    rollouts = await gym.play(file, '--concurrency', '8');
  });

  test.for(ENVIRONMENTS)('of $folder have the rewards of a run without NeMo Gym', async ({ folder }) => {
    const played = one(folder);
    const { url, rows, moves, interface: kind } = played;
    const episodes = rows.flatMap(({ reset }, at) => (moves[at] ?? []).map((each) => ({ reset, moves: each })));
    const direct = (await playGiven({ url, interface: kind, episodes })).map(sum);
    const rewards = rows.flatMap((row, at) => {
      const own = rollouts.filter(
        ({ agent_ref: { name }, task_id: id }) => name === row.agent_ref.name && id === row.task_id,
      );
      expect(own).toHaveLength(moves[at]?.length ?? 0);
      return own.map(({ reward, mask_sample: masked, failure_reason: why }) => (masked ? `masked: ${why}` : reward));
    });
    // The rollouts of a row may be in any order.
    expect([...rewards].sort()).toEqual([...direct].sort());
    played.rewards = direct;
  });
});

describe('is rejected with exit code 2, and nothing is written:', () => {
  test.for(REFUSED)('$folder', async ({ folder, env = {}, told }) => {
    const { url } = ending(await served(folder, env));
    const place = join(work, 'refused');
    const { exitCode, stdout, stderr } = await startGymgen([url, place, '--episodes', '10']);
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/Traceback|\n\s+at .*:\d+:\d+/);
    expect({ exitCode, stdout, made: existsSync(place) }).toEqual({ exitCode: 2, stdout: '', made: false });
    refused.add(folder);
  });
});

describe('is not played here:', () => {
  for (const [folder, why] of Object.entries(NOT_PLAYED)) test.skip(`${folder}: ${why}`);
});

test('docs/environments.md matches the results', ({ skip }) => {
  const whole = refused.size === REFUSED.length && ENVIRONMENTS.every(({ folder }) => written.get(folder)?.rewards);
  if (!whole) skip('only some were played');
  const { documented, made } = page({
    environments: {
      columns: ['environment', 'tools', 'rows', 'rows differ in', 'reward rule', 'rewards of 10 rollouts'],
      rows: ENVIRONMENTS.map(({ folder }) => {
        const { tools, interface: kind, rows, varies, rule, rewards = [] } = one(folder);
        const called = kind === 'tools' ? tools.join(', ') : 'step (an action)';
        return [folder, called, String(rows.length), varies, rule, counted(rewards)];
      }),
    },
    commands: commandBlock(
      ENVIRONMENTS.map(({ folder, tasks, options }) => {
        const given = tasks ? ['--tasks', tasks.file] : ['--episodes', '10'];
        const command = ['gymgen', isProject(folder) ? `envs/${folder}` : 'URL', 'gym-root', ...given, ...options];
        return { folder, command, ...(tasks ? { firstLine: JSON.stringify(tasks.lines[0]) } : {}) };
      }),
    ),
    refused: {
      columns: ['environment', 'reason'],
      rows: REFUSED.map(({ folder, why }) => [folder, why]),
    },
    'not played': {
      columns: ['environment', 'reason'],
      rows: Object.entries(NOT_PLAYED),
    },
  });
  expect(documented).toEqual(made);
});
