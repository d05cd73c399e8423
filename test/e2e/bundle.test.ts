// AgentEnv bundles that gymgen serves by their folders: invalid bundles, and leftover processes. agentenv.test.ts plays
// them.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderOf, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { type BundleFolder, bundleFolder } from './support/mcp-servers.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { readAsGym } from './support/run-python.js';
import { REPOSITORY, venv } from './support/toolchain.js';

const work = tempFolder();
const ending = endings();
const folders = {} as Record<'qa-v1' | 'clash-v1', BundleFolder>;
/** Identifies all processes that are started here. */
const MARK = `GYMGEN_E2E_BUNDLE=${work}`;
const serving = () => processesWith(MARK).filter(({ command }) => command.includes('serve_bundle.py'));
let env: Record<string, string>;

const start = (...args: string[]) => startGymgen(args, env);
const fixture = (name: string) => join(REPOSITORY, 'fixtures/agentenv/bundles', name);

beforeAll(async () => {
  for (const bundle of ['qa-v1', 'clash-v1'] as const) folders[bundle] = ending(await bundleFolder(bundle));
  env = { ...folders['qa-v1'].env, VIRTUAL_ENV: await venv('agentenv'), GYMGEN_E2E_BUNDLE: work };
});

describe('a bundle is refused, with exit 2 and nothing written', () => {
  test.for<[what: string, source: () => string, told: RegExp]>([
    [
      'two scores',
      () => fixture('refused-two-scores'),
      /records a score at each of score-a, score-b[\s\S]*--reward STEP/,
    ],
    ["an eval named 'all'", () => fixture('refused-reserved-all'), /eval 'all' has the name of the split/],
    ['no agent to play', () => 'hello', /prompts no agent/],
    ['a name that nobody knows', () => 'no-such-bundle', /neither a folder nor an installed bundle/],
    ['resets that fail', () => folders['clash-v1'].folder, /'clash': reset failed: [\s\S]*409 Conflict/],
  ])('%s', async ([, source, told]) => {
    const { exitCode, stdout, stderr } = await start(source(), join(work, 'refused'));
    expect(stderr).toMatch(told);
    expect(stderr).not.toMatch(/Traceback|\n\s+at .*:\d+:\d+/);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(existsSync(join(work, 'refused'))).toBe(false);
    expect(serving()).toEqual([]);
  });
});

describe('if gymgen ends early, the server that it started ends too', () => {
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

test('--reward selects the score; a bundle in the same repository is found wherever the repository is', async () => {
  const name = 'refused_two_scores';
  const task = snapshot(fixture('refused-two-scores')).texts['tasks/two.json'];
  for (const place of ['here', 'there/deeper']) {
    const bundle = join(work, place, 'bundles', name);
    mkdirSync(join(work, place, '.git'), { recursive: true });
    mkdirSync(join(bundle, 'tasks'), { recursive: true });
    writeFileSync(join(bundle, 'tasks/two.json'), task ?? '');
    const { exitCode, stderr } = await start(bundle, join(work, place, 'gym'), '--reward', 'score-a');
    expect(exitCode, stderr).toBe(0);
  }
  const textsIn = (place: string) => snapshot(folderOf(join(work, place, 'gym'), name)).texts;
  expect(textsIn('here')).toEqual(textsIn('there/deeper'));
  const { config } = await readAsGym(join(work, 'here/gym'), name);
  const bundle = `../../../../bundles/${name}`;
  expect(config[name].resources_servers[name]).toMatchObject({ reward: 'score-a', bundle });
});
