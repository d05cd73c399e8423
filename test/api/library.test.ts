// The library against a fake server, compared with the command line.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { batch, check, inspect, type Progress, record, UserError, update, write } from '../../src/index.js';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const lockIn = (root: string, name = 'grid_v1') =>
  readFileSync(join(root, 'resources_servers', name, 'gymgen.lock.json'), 'utf8');

async function errorOf(work: Promise<unknown>): Promise<UserError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}

async function place() {
  const server = await StandIn.start({ splits: { train: days(5), eval: days(2) } });
  const cwd = tempFolder();
  return { url: server.url, server, cwd, root: join(cwd, 'root') };
}

describe('write', () => {
  test('writes the lock file of the command line, also for options that are not strings', async () => {
    const { url, cwd, root } = await place();
    const options = {
      split: ['train'],
      limit: 3,
      renameTool: { submit_schedule: 'submit' },
      headerEnv: { Authorization: 'Bearer $LIBRARY_TEST' },
      header: { 'X-Trace': '1' },
      toolTimeout: 1.5,
      probes: 'all',
      probeTurns: 'first',
      fullIds: true,
      appendSystemPrompt: 'Be brief.',
    } as const;
    const flags =
      '--split train --limit 3 --rename-tool submit_schedule=submit --tool-timeout 1.5 --probes all --probe-turns first';
    process.env.LIBRARY_TEST = 'secret';
    const result = await write(url, root, options);
    delete process.env.LIBRARY_TEST;
    const { stdout } = await gymgenHere(
      [
        ...[url, 'cli', ...flags.split(' '), '--full-ids', '--json'],
        ...['--append-system-prompt', 'Be brief.', '--header', 'X-Trace: 1'],
        ...['--header-env', 'Authorization=Bearer $LIBRARY_TEST'],
      ],
      { cwd, env: { LIBRARY_TEST: 'secret' } },
    );
    expect(lockIn(root)).toBe(lockIn(join(cwd, 'cli')));
    expect(lockIn(root)).not.toContain('secret');
    const document = JSON.parse(stdout);
    expect(JSON.parse(JSON.stringify(result))).toEqual({ ...document, folder: result.folder });
    expect(result).toMatchObject({ status: 'wrote', rows: [{ split: 'train', rows: 3 }] });
    const schema = new URL('../../schemas/json/write.json', import.meta.url);
    expect(z.fromJSONSchema(JSON.parse(readFileSync(schema, 'utf8'))).parse(document)).toEqual(document);
  });

  test('with dryRun, plans and writes nothing', async () => {
    const { url, root } = await place();
    const { status, plan } = await write(url, root, { dryRun: true });
    expect([status, plan?.every(({ state }) => state === 'create'), existsSync(root)]).toEqual([
      'planned',
      true,
      false,
    ]);
  });

  test('reports progress to the reporter', async () => {
    const { url, root } = await place();
    const events: Progress[] = [];
    await write(url, root, { reporter: { progress: (event) => events.push(event) } });
    expect(events.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['connect', 'read']));
  });

  test('rejects with the reason of an aborted signal', async () => {
    const { url, root } = await place();
    const [before, during] = [new AbortController(), new AbortController()];
    before.abort(new Error('too early'));
    await expect(write(url, root, { signal: before.signal })).rejects.toThrow('too early');
    const reporter = { progress: () => during.abort(new Error('stop')) };
    await expect(write(url, root, { signal: during.signal, reporter })).rejects.toThrow('stop');
    expect(existsSync(join(root, 'resources_servers'))).toBe(false);
  });
});

describe('errors', () => {
  test.each<[string, unknown[], message: string, fix: string]>([
    ['an unknown option', ['', '', { limitt: 5 }], "unknown option 'limitt'", 'did you mean limit?'],
    ['an option of the terminal', ['', '', { quiet: true }], "unknown option 'quiet'", 'docs/api.md lists the options'],
    ['a number out of range', ['', '', { limit: 0 }], 'invalid option value', '--help'],
    ['a value of another type', ['', '', { fullIds: 'yes' }], 'fullIds must be a boolean', 'pass a boolean'],
    ['a list instead of a value', ['', '', { limit: [1] }], 'limit has the wrong type', 'see limit'],
    [
      'a key with the separator',
      ['', '', { renameTool: { 'a=b': 'c' } }],
      'renameTool has the wrong type',
      'see renameTool',
    ],
    ['options that exclude each other', ['', '', { tasks: 'a.csv', episodes: 3 }], 'cannot be combined', 'leave out'],
    ['an empty source', [' ', 'root', {}], 'source must be a non-empty string', 'pass a string as source'],
    ['a missing Gym root', ['', undefined, {}], 'gymRoot must be a non-empty string', 'pass a string as gymRoot'],
  ])('%s', async (_, [source, gymRoot, options], message, fix) => {
    const root = gymRoot === '' ? tempFolder() : gymRoot;
    const url = source === '' ? 'http://127.0.0.1:9' : source;
    const error = await errorOf(write(url as string, root as string, options as object));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(error.message).toContain(message);
    expect(error.fix).toContain(fix);
  });

  test('have the code, the place and the fix', async () => {
    const error = await errorOf(write('http://127.0.0.1:9', tempFolder()));
    expect(error).toMatchObject({ code: 'unreachable', where: expect.stringContaining('http://127.0.0.1:9') });
    expect(error).toMatchObject({ exitCode: 2, fix: expect.stringContaining('start the server') });
  });

  test('of the operating system are UserErrors', async () => {
    const { url, root } = await place();
    writeFileSync(root, 'a file');
    expect(await errorOf(write(url, root))).toMatchObject({ message: 'not a folder' });
  });

  test('edited files have a code of their own', async () => {
    const { url, root } = await place();
    await write(url, root);
    writeFileSync(join(root, 'resources_servers/grid_v1/app.py'), '# mine\n');
    expect(await errorOf(write(url, root))).toMatchObject({ code: 'edited' });
    expect(await write(url, root, { force: true })).toMatchObject({ status: 'wrote' });
  });
});

test('check returns same in the library and on the command line', async () => {
  const { url, cwd, root } = await place();
  await write(url, root, { limit: 2 });
  expect(await check(root)).toMatchObject({ status: 'same', folders: [{ name: 'grid_v1', status: 'same' }] });
  expect(await check(url, root, { limit: 2 })).toMatchObject({ status: 'same' });
  expect(await check(url, root)).toMatchObject({ status: 'differs' });
  expect(await gymgenHere(['check', 'root'], { cwd })).toMatchObject({ exitCode: 0 });
});

test('check lists folders that cannot be compared', async () => {
  const { url, server, root } = await place();
  await write(url, root);
  await write(url, root, { name: 'other', configUrl: 'http://127.0.0.1:9' });
  const { status, folders, failures } = await check(root);
  expect([status, folders.map(({ name }) => name)]).toEqual(['failed', ['grid_v1']]);
  expect(failures).toMatchObject([{ name: 'other', code: 'unreachable' }]);
  expect(server.sessions.length).toBeGreaterThan(0);
});

test('check refuses code that only a lock file names, and names the option', async () => {
  const { url, root } = await place();
  await write(url, root);
  const lock = join(root, 'resources_servers/grid_v1/gymgen.lock.json');
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(url, 'installed_bundle'));
  const error = await errorOf(check(root));
  expect(error).toMatchObject({ code: 'untrusted', fix: 'if you trust this code, set runSource' });
});

test('update keeps manual edits', async () => {
  const { url, server, root } = await place();
  await write(url, root);
  const app = join(root, 'resources_servers/grid_v1/app.py');
  writeFileSync(app, '# mine\n');
  server.splits = { train: days(6), eval: days(2) };
  const { folders } = await update(root);
  expect(folders).toMatchObject([{ name: 'grid_v1', status: 'wrote', edited: [{ path: 'app.py' }] }]);
  expect(readFileSync(app, 'utf8')).toBe('# mine\n');
});

test('a recording replaces its source', async () => {
  const { url, cwd, root } = await place();
  const file = join(cwd, 'grid.jsonl.gz');
  expect(await record(url, file)).toMatchObject({ status: 'recorded', splits: [{ count: 5 }, { count: 2 }] });
  await write(url, root);
  expect(await check(file, root)).toMatchObject({ status: 'same' });
});

test('inspect shows what a source serves', async () => {
  const { url } = await place();
  const { envName, splits, toolsets, refused } = await inspect(url, { limit: 1 });
  expect([envName, splits.map(({ count }) => count), toolsets.length, refused]).toEqual(['grid-v1', [1, 1], 1, []]);
});

describe('batch', () => {
  test('writes sources with their own options, and reports each', async () => {
    const { url, root } = await place();
    const ended: string[] = [];
    const { jobs } = await batch([url, { source: url, name: 'small', limit: 1 }, 'http://127.0.0.1:9'], {
      root,
      concurrency: 1,
      retries: 0,
      reporter: { ended: ({ status }, source) => ended.push(`${source} ${status}`) },
    });
    expect(jobs).toMatchObject([
      { status: 'wrote', name: 'grid_v1', rows: 7 },
      { status: 'wrote', name: 'small', rows: 2 },
      { status: 'failed', error: { code: 'unreachable' } },
    ]);
    expect(ended).toEqual([`${url} wrote`, 'small wrote', 'http://127.0.0.1:9 failed']);
  });

  test('reads a batch file', async () => {
    const { url, cwd, root } = await place();
    const file = join(cwd, 'envs.json');
    const content = { $schema: 'https://example.com/batch.json', root: 'root', sources: [{ source: url, limit: 2 }] };
    writeFileSync(file, JSON.stringify(content));
    expect(await batch(file)).toMatchObject({ jobs: [{ status: 'wrote', rows: 4 }] });
    expect(await batch(file, { check: true })).toMatchObject({ jobs: [{ status: 'same' }] });
    expect(existsSync(root)).toBe(true);
  });
});
