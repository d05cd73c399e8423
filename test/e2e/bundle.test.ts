// AgentEnv bundles by their folders, with no server started by hand: gymgen serves them, and so does the written server.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { NemoGym, type Rollout, readJsonLines, writeJsonLines } from './support/gym.js';
import { folderOf, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { type BundleFolder, bundleFolder } from './support/mcp-servers.js';
import { modelServer } from './support/model-server.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { type Played, playDirectly, type Row, readAsGym } from './support/run-python.js';
import { agentEnv } from './support/servers.js';
import { movesOf, solver } from './support/solver.js';
import { REPOSITORY, venv } from './support/toolchain.js';

/** NeMo Gym has a route of that name. */
const RENAMED = { stats: 'statistics' };
const RENAME = ['--rename-tool', 'stats=statistics'];
const BUNDLES = { 'qa-v1': [], 'tools-v1': RENAME, 'multi-v1': RENAME } as const;
type Bundle = keyof typeof BUNDLES;
const bundles = Object.keys(BUNDLES) as Bundle[];
/** Other names than those of the same bundles behind a URL: NeMo Gym's venvs are kept by name, and these have more in them. */
const nameOf = (bundle: Bundle) => `${bundle.replace('-', '_')}_bundle`;

const work = tempFolder();
const root = join(work, 'root');
const ending = endings();
const folders = {} as Record<Bundle | 'clash-v1', BundleFolder>;
/** Of all that is started here, by which it is found. */
const MARK = `GYMGEN_E2E_BUNDLE=${work}`;
const serving = () => processesWith(MARK).filter(({ command }) => command.includes('serve_bundle.py'));
let env: Record<string, string>;

const start = (...args: string[]) => startGymgen(args, env);
const rowsOf = (bundle: Bundle, split: string) =>
  readJsonLines<Row>(join(folderOf(root, nameOf(bundle)), `data/${split}.jsonl`));

beforeAll(async () => {
  for (const bundle of [...bundles, 'clash-v1'] as const) folders[bundle] = ending(await bundleFolder(bundle));
  env = { ...folders['qa-v1'].env, VIRTUAL_ENV: await venv('agentenv'), GYMGEN_E2E_BUNDLE: work };
});

describe('a bundle is refused, with exit 2 and nothing written', () => {
  const fixture = (name: string) => join(REPOSITORY, 'fixtures/agentenv/bundles', name);
  test.for<[what: string, source: () => string, told: RegExp]>([
    [
      'two scores',
      () => fixture('refused-two-scores'),
      /records a score at each of score-a, score-b[\s\S]*--reward STEP/,
    ],
    ["an eval named 'all'", () => fixture('refused-reserved-all'), /eval 'all' has the name of the split/],
    ['no agent to play', () => 'hello', /prompts no agent/],
    ['a name that nobody knows', () => 'no-such-bundle', /neither a folder nor an installed bundle/],
    ['resets that fail', () => folders['clash-v1'].folder, /'clash': its reset failed: [\s\S]*409 Conflict/],
  ])('%s', async ([, source, told]) => {
    const { exitCode, stdout, stderr } = await start(source(), join(work, 'refused'));
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/Traceback|\n\s+at .*:\d+:\d+/);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(existsSync(join(work, 'refused'))).toBe(false);
    expect(serving()).toEqual([]);
  });

  test('unless --reward says which score counts', async () => {
    const { exitCode } = await start(fixture('refused-two-scores'), join(work, 'two'), '--reward', 'score-a');
    expect(exitCode).toBe(0);
    const { config } = await readAsGym(join(work, 'two'), 'refused_two_scores');
    expect(config.refused_two_scores.resources_servers.refused_two_scores).toMatchObject({ reward: 'score-a' });
  });
});

describe('gymgen that ends early ends what it serves', () => {
  test.for([
    ['SIGKILL', undefined],
    ['SIGINT', 130],
  ] as const)('%s', async ([signal, code]) => {
    const run = start(folders['qa-v1'].folder, join(work, 'early'));
    await eventually(serving, ({ length }) => length > 0);
    expect(serving()).toHaveLength(1);
    run.kill(signal);
    expect((await run).exitCode).toBe(code);
    expect(await eventually(serving, ({ length }) => length === 0, 3000)).toEqual([]);
    expect(existsSync(join(work, 'early'))).toBe(false);
  });
});

describe('the written server', () => {
  test.for(bundles)('of %s serves the bundle itself', async (bundle) => {
    const { exitCode, stderr } = await start(
      folders[bundle].folder,
      root,
      '--name',
      nameOf(bundle),
      ...BUNDLES[bundle],
    );
    expect(exitCode, stderr).toBe(0);
    const { config } = await readAsGym(root, nameOf(bundle));
    const server = config[nameOf(bundle)].resources_servers[nameOf(bundle)];
    expect(server).toMatchObject({ bundle: folders[bundle].folder, max_concurrent_envs: 8 });
    expect(server.url).toBeUndefined();
    expect(serving()).toEqual([]);
  });

  test('of tools-v1 has the toolsets that the task files declare, each learnt by one play', () => {
    const { texts } = snapshot(folderOf(root, nameOf('tools-v1')));
    const { toolsets } = JSON.parse(texts['toolsets.json'] ?? '') as { toolsets: { key: string; tasks: unknown[] }[] };
    expect(toolsets.map(({ key, tasks }) => [key.replace(/-[0-9a-f]{8}$/, ''), tasks.length])).toEqual([
      ['toolset:calc+notes', 1],
      ['toolset:calc', 1],
      ['toolset:no-env', 1],
      ['toolset:notes', 1],
    ]);
  });

  test('is found by a relative path in one repository, and is the same wherever that is', async () => {
    const folder = (place: string) => join(work, place, 'gym/resources_servers/refused_two_scores');
    for (const place of ['here', 'there/deeper']) {
      mkdirSync(join(work, place, '.git'), { recursive: true });
      mkdirSync(join(work, place, 'bundles/refused_two_scores/tasks'), { recursive: true });
      const task = snapshot(join(REPOSITORY, 'fixtures/agentenv/bundles/refused-two-scores')).texts['tasks/two.json'];
      writeFileSync(join(work, place, 'bundles/refused_two_scores/tasks/two.json'), task ?? '');
      const bundle = join(work, place, 'bundles/refused_two_scores');
      const { exitCode, stderr } = await start(bundle, join(work, place, 'gym'), '--reward', 'score-a');
      expect(exitCode, stderr).toBe(0);
    }
    const { texts } = snapshot(folder('here'));
    expect(texts).toEqual(snapshot(folder('there/deeper')).texts);
    expect(texts['configs/refused_two_scores.yaml']).toMatch(/bundle: "..\/..\/..\/..\/bundles\/refused_two_scores"/);
  });
});

describe('rollouts', () => {
  const rows = {} as Record<Bundle, Row[]>;
  const direct = {} as Record<Bundle, Played[]>;
  let rollouts: Rollout[];

  beforeAll(async () => {
    const everyRow = bundles.flatMap((bundle) => {
      rows[bundle] = rowsOf(bundle, 'train');
      return rows[bundle];
    });
    const prompts = new Map(
      everyRow.map((row) => [row.responses_create_params.input.at(-1)?.content ?? '', row.task_id]),
    );
    const model = ending(await modelServer(solver(prompts, RENAMED)));
    const { VIRTUAL_ENV: _, ...forGym } = env;
    const gym = ending(await NemoGym.on(root, forGym));
    await gym.start(bundles.map(nameOf), model);
    const file = join(work, 'rows.jsonl');
    writeJsonLines(file, everyRow);
    rollouts = await gym.play(file, '--concurrency', '8');
    for (const bundle of bundles) {
      const server = await agentEnv(bundle);
      const episodes = rows[bundle].map(({ split, index, task_id }) => ({ split, index, moves: movesOf(task_id) }));
      direct[bundle] = await playDirectly(server.url, episodes);
      await server.stop();
    }
  });

  test.for(bundles)('of %s have the rewards of a direct play', (bundle) => {
    const rewards = rows[bundle].map(({ task_id }) => rollouts.find((rollout) => rollout.task_id === task_id));
    expect(rewards.map((rollout) => (rollout?.mask_sample ? 'masked' : rollout?.reward))).toEqual(
      direct[bundle].map(({ reward }) => reward),
    );
  });

  test('leave no process once NeMo Gym has ended', async () => {
    expect(serving()).toHaveLength(bundles.length);
    for (const { pid, command } of processesWith(MARK)) {
      if (command.includes('env start')) process.kill(pid, 'SIGINT');
    }
    expect(await eventually(serving, ({ length }) => length === 0, 5000)).toEqual([]);
  });
});
