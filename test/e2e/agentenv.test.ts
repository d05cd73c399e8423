// AgentEnv's own OpenEnv server, its bundles written by gymgen and played by NeMo Gym: three of them, started as one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { NemoGym, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, gymgen, mustGymgen, tempFolder } from './support/gymgen.js';
import { modelServer } from './support/model-server.js';
import { endings } from './support/processes.js';
import { type Played, playDirectly, type Row, readAsGym } from './support/run-python.js';
import { agentEnv, type Server } from './support/servers.js';
import { movesOf, solver } from './support/solver.js';

/** NeMo Gym has a route of that name. */
const RENAMED = { stats: 'statistics' };
const RENAME = ['--rename-tool', 'stats=statistics'];

const BUNDLES = {
  'qa-v1': { name: 'qa_v1', options: [], rows: { 'all.jsonl': 5, 'eval.jsonl': 2, 'train.jsonl': 3 } },
  'tools-v1': { name: 'tools_v1', options: RENAME, rows: { 'all.jsonl': 8, 'eval.jsonl': 3, 'train.jsonl': 5 } },
  'multi-v1': {
    name: 'multi_v1',
    options: [...RENAME, '--append-system-prompt', 'End each of your turns by calling end_turn with your reply.'],
    rows: { 'all.jsonl': 6, 'eval.jsonl': 1, 'train.jsonl': 2 },
  },
};
type Bundle = keyof typeof BUNDLES;
const bundles = Object.keys(BUNDLES) as Bundle[];

/** Played from the split `all`, since no other has them. The task with a time limit is not: it would be a race. */
const ALSO_PLAYED = ['unscored', 'same-conversation'];

const root = tempFolder();
const ending = endings();
const servers = {} as Record<Bundle, Server>;

const lastOf = (id: string) => id.split('/').at(-1) ?? '';
const rowsOf = (bundle: Bundle, split: string) =>
  readJsonLines<Row>(join(folderOf(root, BUNDLES[bundle].name), `data/${split}.jsonl`));
const played = (bundle: Bundle) => [
  ...rowsOf(bundle, 'train'),
  ...rowsOf(bundle, 'eval'),
  ...rowsOf(bundle, 'all').filter(({ task_id }) => ALSO_PLAYED.includes(lastOf(task_id))),
];
const toolNames = ({ responses_create_params: { tools } }: Row) => tools.map(({ name }) => name);

beforeAll(async () => {
  for (const bundle of bundles) servers[bundle] = ending(await agentEnv(bundle));
});

describe('the rows', () => {
  test("are not written where a tool has the name of one of Gym's routes", async () => {
    const { exitCode, stdout, stderr } = await gymgen(servers['tools-v1'].url, root, '--rename-tool', 'stats=verify');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/tool 'stats', renamed 'verify'.*--rename-tool stats=/);
    expect(existsSync(folderOf(root, 'tools_v1'))).toBe(false);
  });

  test.for(bundles)('of %s are what NeMo Gym takes', async (bundle) => {
    const { name, options, rows } = BUNDLES[bundle];
    expect(await mustGymgen(servers[bundle].url, root, ...options)).toBe(`wrote ${folderOf(root, name)}\n`);
    expect((await readAsGym(root, name)).rows).toEqual(rows);
  });

  test('name tasks without the path of the machine that serves them', () => {
    for (const bundle of bundles) {
      for (const { task_id } of rowsOf(bundle, 'all'))
        expect(task_id).toMatch(new RegExp(`^@local/${bundle}/[\\w-]+$`));
    }
  });

  test('of tools-v1 have the tools of their own task, though these are declared nowhere', () => {
    const tools = Object.fromEntries(rowsOf('tools-v1', 'all').map((row) => [lastOf(row.task_id), toolNames(row)]));
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
    const messages = rowsOf('multi-v1', 'train').map(({ responses_create_params: { input } }) => input);
    for (const [first] of messages) expect(first?.content).toMatch(/end_turn with your reply\.$/);
  });
});

describe('rollouts', () => {
  const rows = {} as Record<Bundle, Row[]>;
  const direct = {} as Record<Bundle, Played[]>;
  const rollouts = {} as Record<Bundle, (Rollout | undefined)[]>;

  beforeAll(async () => {
    const everyRow = bundles.flatMap((bundle) => {
      rows[bundle] = played(bundle);
      return rows[bundle];
    });
    const prompts = new Map(
      everyRow.map((row) => [row.responses_create_params.input.at(-1)?.content ?? '', row.task_id]),
    );
    const model = ending(await modelServer(solver(prompts, RENAMED)));
    const gym = ending(await NemoGym.on(root));
    const names = bundles.map((bundle) => BUNDLES[bundle].name);
    await gym.start(names, model);
    const file = join(root, 'rows.jsonl');
    writeJsonLines(file, everyRow);
    const all = await gym.play(file, '--concurrency', '8');
    for (const bundle of bundles) {
      const episodes = rows[bundle].map(({ split, index, task_id }) => ({ split, index, moves: movesOf(task_id) }));
      direct[bundle] = await playDirectly(servers[bundle].url, episodes);
      rollouts[bundle] = rows[bundle].map(({ split, task_id }) =>
        all.find((rollout) => rollout.task_id === task_id && rollout.split === split),
      );
    }
  });

  test.for(bundles)('of %s have the rewards of a direct play', (bundle) => {
    const tasks = rows[bundle].map(({ task_id }) => lastOf(task_id));
    const byTask = <T>(values: T[]) => Object.fromEntries(values.map((value, at) => [tasks[at], value]));
    const wanted = direct[bundle].map(({ reward }) => (reward === null ? 'masked' : reward));
    const got = rollouts[bundle].map((rollout) => (rollout?.mask_sample ? 'masked' : rollout?.reward));
    expect(byTask(got)).toEqual(byTask(wanted));
  });

  test('are masked only where there is no score', () => {
    const reasons = bundles.flatMap((bundle) => rollouts[bundle]).filter((rollout) => rollout?.mask_sample);
    expect(reasons.map((rollout) => [lastOf(rollout?.task_id ?? ''), rollout?.reward])).toEqual([['unscored', 0]]);
  });

  test('are of all kinds: right, wrong and half right', () => {
    const rewards = (bundle: Bundle) => new Set(rollouts[bundle].map((rollout) => rollout?.reward));
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
});
