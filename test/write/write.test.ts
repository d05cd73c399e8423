import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/limits.js';
import { requestOf } from '../../src/operations/request.js';
import { hasTurns, write } from '../../src/operations/write.js';
import type { Flags } from '../../src/options/index.js';
import { tempFolder } from '../support/built-cli.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { recorded } from '../support/recorded.js';
import { day, days, tool } from '../support/served-tasks.js';
import { StandIn, type StandInOptions } from '../support/stand-in.js';

refuseWarnings();

const root = () => join(tempFolder(), 'gym-root');

function writing(url: string, gymRoot: string, flags: Flags = {}, signal = new AbortController().signal) {
  return write(requestOf(url, gymRoot, flags), new Said(), signal);
}

/** All files below a folder, by path. */
function files(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    found.map((entry) => join(entry.parentPath, entry.name)).map((path) => [path, readFileSync(path, 'utf8')]),
  );
}

const rowsOf = (gymRoot: string, split: string, name = 'grid_v1') =>
  readFileSync(join(gymRoot, `resources_servers/${name}/data/${split}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a server is written to a folder; the same server gives the same bytes', async () => {
  const server = await recorded('qa-v1');
  const [one, other] = [root(), root()];
  const flags = { split: ['train'], limit: '2' };
  const report = await writing(server.url, one, flags);
  expect(report).toMatchObject({
    name: 'qa_v1',
    envName: 'qa-v1',
    changed: true,
    folder: join(one, 'resources_servers/qa_v1'),
    rows: [{ split: 'train', rows: 2 }],
    toolsets: [{ key: 'agent:solver', tools: ['end_turn'], turns: 1 }],
    kept: {},
    counts: { sessions: 2 },
  });
  expect(report.row).toBe(readFileSync(join(report.folder, 'data/train.jsonl'), 'utf8').split('\n')[0]);
  expect(hasTurns(report)).toBe(false);

  await writing(server.url, other, flags);
  const relative = (base: string) => Object.entries(files(base)).map(([path, text]) => [path.slice(base.length), text]);
  expect(relative(other)).toEqual(relative(one));
  expect(await writing(`${server.url}/`, one, flags)).toMatchObject({ changed: false });
});

test('a row has its task, tools, split and index', async () => {
  const server = await recorded('tools-v1');
  const target = root();
  await writing(server.url, target, { renameTool: ['stats=stats_tool'] });
  const rows = rowsOf(target, 'train', 'tools_v1');
  expect(rows.map((row) => row.responses_create_params.tools.map(({ name }: { name: string }) => name))).toMatchObject([
    ['calculate', 'convert', 'stats_tool', 'end_turn'],
    ['calculate', 'convert', 'stats_tool', 'end_turn'],
    ['search_notes', 'add_note', 'read_note', 'end_turn'],
    ['search_notes', 'add_note', 'read_note', 'end_turn'],
    ['calculate', 'convert', 'stats_tool', 'search_notes', 'add_note', 'read_note', 'end_turn'],
  ]);
  expect(rows[2]).toMatchObject({ split: 'train', index: 2, task_id: '@local/tools-v1/notes-find' });
});

test('the config has the normalized URL, or --config-url', async () => {
  const server = await StandIn.start();
  const config = (target: string) =>
    readFileSync(join(target, 'resources_servers/grid_v1/configs/grid_v1.yaml'), 'utf8');
  const [one, other] = [root(), root()];
  await writing(`ws://u:p@${server.host}/ws?x=1`, one);
  expect(config(one)).toContain(`"http://${server.host}"`);
  await writing(server.url, other, { configUrl: 'https://envs.example.com/grid' });
  expect(config(other)).toContain('"https://envs.example.com/grid"');
  expect(config(other)).not.toContain(server.host);
});

test('settings that the user changed in the config are kept and reported', async () => {
  const server = await StandIn.start();
  const target = root();
  await writing(server.url, target, { toolTimeout: '30' });
  const config = join(target, 'resources_servers/grid_v1/configs/grid_v1.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('tool_timeout: 30', 'tool_timeout: 45'));
  server.splits = { train: days(4) };
  const report = await writing(server.url, target, {});
  expect(report.kept).toEqual({ tool_timeout: 45 });
  expect(readFileSync(config, 'utf8')).toContain('tool_timeout: 45');
});

test('a dry run reads everything and writes nothing', async () => {
  const server = await StandIn.start();
  const target = root();
  const report = await writing(server.url, target, { dryRun: true });
  expect(report.plan.entries.every(({ state }) => state === 'create')).toBe(true);
  expect(report.rows).toEqual([{ split: 'train', rows: 3 }]);
  expect(existsSync(target)).toBe(false);
});

describe('nothing is written, and no session stays open, if', () => {
  const cases: [string, StandInOptions, Flags, RegExp][] = [
    ['a tool has a name that Gym has', { turns: () => [[tool('verify')]] }, {}, /'verify'[\s\S]*--rename-tool verify=/],
    [
      'a tool has a name that Gym reserves',
      { turns: () => [[tool('verify')]] },
      {},
      /'verify'[\s\S]*--rename-tool verify=/,
    ],
    [
      'a prompt is not valid JSON text or is empty',
      { splits: { train: [day(0, { prompt: 'a\ud800' }), day(1, { prompt: '' })] } },
      {},
      /train\[0\].*lone surrogate[\s\S]*train\[1\].*prompt is empty/,
    ],
    [
      'a schema has a number that readers cannot represent',
      { turns: () => [['{"name":"a","input_schema":{"x":1e400}}']] },
      {},
      /1e400/,
    ],
    [
      'only a later row is too large',
      { splits: { train: [day(0), day(1, { prompt: 'x'.repeat(LIMITS.rowBytes) })] } },
      {},
      /row of task train\[1\] .*row too large: the limit is 16 MiB/,
    ],
    ['a split name cannot be a file name', { splits: { 'a/b': [day(0)] } }, {}, /'a\/b'/],
    ['the name is invalid', {}, { name: 'a b' }, /--name/],
    ['a requested split does not exist', {}, { split: ['no'] }, /no such split: 'no'/],
    ['tasks change during the run', { http: changing }, {}, /changed while it was read/],
    ['resets fail', { ws: ({ type }) => (type === 'reset' ? 'no' : undefined) }, {}, /could not probe/],
  ];
  function changing({ path }: { path: string }, server: StandIn): undefined {
    if (path.endsWith('/task_range')) server.splits.train?.push(day(server.asked.length + 100));
  }

  test.each(cases)('%s', async (_, options, flags, message) => {
    const server = await StandIn.start(options);
    const folder = tempFolder();
    expect(await failureOf(writing(server.url, join(folder, 'a/gym-root'), flags))).toMatch(message);
    expect(readdirSync(folder)).toEqual([]);
    await server.idle();
  });

  test('the Gym root is unusable, which is reported before the server is asked', async () => {
    const server = await StandIn.start();
    const target = root();
    mkdirSync(target);
    writeFileSync(join(target, 'pyproject.toml'), '[project]\nname = "other"\n');
    expect(await failureOf(writing(server.url, target))).toMatch(/pyproject.toml belongs to another project/);
    expect(server.asked).toEqual([]);
  });

  test('the target is a file', async () => {
    const server = await StandIn.start({ splits: { train: days(3000) } });
    const target = root();
    writeFileSync(target, 'mine');
    expect(await failureOf(writing(server.url, target))).toContain(target);
    await server.idle();
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });

  test.each(['/health', '/splits', '/num_tasks', '/task_range'])('it is aborted in %s', async (route) => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const server = await StandIn.start({
      http: ({ path }) => {
        if (path.endsWith(route)) stop.abort(reason);
        return undefined;
      },
    });
    const folder = tempFolder();
    await expect(writing(server.url, join(folder, 'gym-root'), {}, stop.signal)).rejects.toBe(reason);
    await server.idle();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('several turns are reported', async () => {
  const server = await StandIn.start({ turns: () => [[tool('end_turn')], [tool('end_turn')]] });
  expect(hasTurns(await writing(server.url, root()))).toBe(true);
});

test('100,000 tasks take few requests, and each becomes a row', async () => {
  const server = await StandIn.start({ splits: { all: days(100_000, () => ({ toolset: 'a' })) } });
  const target = root();
  const report = await writing(server.url, target);
  expect(report.rows).toEqual([{ split: 'all', rows: 100_000 }]);
  expect(server.asked.length).toBeLessThan(60);
  expect(server.resets).toEqual(['all[0]']);
});
