// The main case: gymgen writes a resources server for a real OpenEnv server, and real NeMo Gym accepts it.
// rollouts.test.ts plays its rows.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { modelServer } from '../../src/play/index.js';
import { withoutTime } from '../support/without-time.js';
import { NemoGym, type Rollout, readJsonLines } from './support/gym.js';
import { folderOf, mustGymgen, snapshot, tempFolder } from './support/gymgen.js';
import { endings } from './support/processes.js';
import { checkPython, readAsGym } from './support/run-python.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { REPOSITORY } from './support/toolchain.js';
import { trader } from './support/trader.js';

const NAME = 'gridsim_v1';
const root = tempFolder();
const other = tempFolder();
const byFolder = tempFolder();
const folder = folderOf(root, NAME);
const ending = endings();
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
let server: Gridsim;
let gym: NemoGym;

beforeAll(async () => {
  server = ending(await gridsim());
  gym = ending(await NemoGym.on(root));
});

describe('the requests of gymgen', () => {
  test('are one reset for a declared toolset, and leave no session open', async () => {
    expect(withoutTime(await mustGymgen(server.url, root))).toBe(`wrote ${folder}\n`);
    expect(await server.leftOpen()).toBe(0);
    expect(await server.stats()).toMatchObject({ resets: 1 });
  });

  test('are three resets for an undeclared toolset, and the rows are the same', async () => {
    const undeclared = ending(await gridsim('--declare', '0'));
    await mustGymgen(undeclared.url, other, '--config-url', server.url);
    expect(await undeclared.leftOpen()).toBe(0);
    expect(await undeclared.stats()).toMatchObject({ resets: 3 });
    const rows = (gymRoot: string) => snapshot(join(folderOf(gymRoot, NAME), 'data')).texts;
    expect(rows(other)).toEqual(rows(root));
  });
});

test('gymgen serves the project itself, writes nothing into its folder, and generates the same files', async () => {
  const project = join(REPOSITORY, 'fixtures/gridsim');
  const before = readdirSync(project, { recursive: true });
  await mustGymgen(project, byFolder, '--config-url', server.url);
  expect(readdirSync(project, { recursive: true })).toEqual(before);
  const written = (gymRoot: string) => {
    const { 'gymgen.lock.json': _, ...texts } = snapshot(folderOf(gymRoot, NAME)).texts;
    return texts;
  };
  expect(written(byFolder)).toEqual(written(root));
});

describe('the written folder', () => {
  test("is read by NeMo Gym's own models and parser", async () => {
    const { rows, config } = await readAsGym(root, NAME);
    expect(rows).toEqual({ 'all.jsonl': 2200, 'eval.jsonl': 200, 'train.jsonl': 2000 });
    expect(Object.keys(config)).toEqual([NAME, `${NAME}_simple_agent`, `${NAME}_environment_server`]);
    const { entrypoint, domain, url } = config[NAME].resources_servers[NAME];
    expect({ entrypoint, domain, url }).toEqual({ entrypoint: 'app.py', domain: 'agent', url: server.url });
  });

  test('passes ruff', () => checkPython(folder));

  test('passes gym env validate', () => gym.run('env', 'validate', '--config', gym.config(NAME)));

  test('shows its task data in gym env schema', async () => {
    const schema = await gym.run('env', 'schema', '--resources-server', NAME);
    for (const key of ['split', 'index', 'task_id']) expect(schema).toContain(key);
  });

  test('is in gym list resources-servers', async () => {
    expect(await gym.run('list', 'resources-servers')).toContain(NAME);
  });

  test('passes its own tests in gym env test, in the venv that Gym makes for it', async () => {
    expect(await gym.test(NAME)).toMatch(/\b3 passed/);
  });

  test('is served, played and stopped by the first command of its README', async () => {
    const model = ending(await modelServer(trader));
    const [command = ''] = /^\.venv\/bin\/gym eval run(?:.*\\\n)*.*$/m.exec(read('README.md')) ?? [];
    expect(command).toContain('--split validation --limit 20');
    await gym.runAsWritten(command, model);
    const rollouts = readJsonLines<Rollout>(join(root, 'rollouts.jsonl'));
    expect(rollouts).toHaveLength(20);
    expect(rollouts.filter(({ mask_sample, split }) => mask_sample || split !== 'eval')).toEqual([]);
    expect(await server.leftOpen()).toBe(0);
    expect(await mustGymgen('check', root)).toBe(`same ${folder}\n`);
  });

  test('is collated into training data, with --datasets and --license', async () => {
    const datasets = ['--datasets', 'train=train,validation=eval', '--license', 'Apache 2.0'];
    await mustGymgen(server.url, other, ...datasets);
    expect(readJsonLines(join(folderOf(other, NAME), 'data/example.jsonl'))).toHaveLength(5);
    const collated = await gym.collate(other, NAME);
    expect(collated.train).toHaveLength(2000);
    expect(collated.validation).toHaveLength(200);
  });
});
