// What must not make a check fail: the machine, the path of the checkout, and a recording that has more than the root.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { handRecording } from '../support/hand-recording.js';
import { days, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const FOLDER = 'root/resources_servers/grid_v1';
const at =
  (cwd: string) =>
  (...args: string[]) =>
    gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, '.state') } });

describe('the machine of the server', () => {
  test('is not in the lock file: neither in ids nor in keys of toolsets', async () => {
    const turns = ({ name }: { name?: unknown }) => [[tool(name === 'day-1' ? 'look' : 'act')]];
    const server = await StandIn.start({ splits: { train: days(3) }, turns });
    const cwd = tempFolder();
    const run = at(cwd);
    await run(server.url, 'root');
    const lock = readFileSync(join(cwd, FOLDER, 'gymgen.lock.json'), 'utf8');
    expect(lock).toContain('"key": "task:@local/grid-v1/day-1"');
    expect(lock).not.toContain('/srv/');
    const moved = (id: string) => id.replace('/srv/', '/home/ci/');
    for (const task of server.splits.train ?? []) task.id = moved(String(task.id));
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
  });

  test('is not in a recorded path of a tasks file', async () => {
    const cwd = tempFolder();
    const server = await StandIn.start({ splits: { train: days(2) } });
    writeFileSync(join(cwd, 'tasks.jsonl'), '{"reset":{"split":"train","index":0}}\n');
    writeFileSync(join(cwd, 'b.yaml'), `root: root\nsources: [{ source: ${server.url}, tasks: ./tasks.jsonl }]\n`);
    const run = at(cwd);
    for (const args of [
      ['batch', 'b.yaml'],
      [server.url, 'root', '--tasks', join(cwd, 'tasks.jsonl')],
    ]) {
      rmSync(join(cwd, 'root'), { recursive: true, force: true });
      expect(await run(...args)).toMatchObject({ exitCode: 0 });
      const lock = JSON.parse(readFileSync(join(cwd, FOLDER, 'gymgen.lock.json'), 'utf8'));
      expect(lock.options).toEqual({ tasks: 'tasks.jsonl' });
      expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    }
  });
});

describe('the path of a checkout', () => {
  test.each(['a b', 'ünï', 'feature#12', "o'neil", 'job:main', '[x]', 'a$b', 'a,b', 'a=b', 'a\\b'])(
    '%s does not matter to commands that write nothing',
    async (name) => {
      const cwd = tempFolder();
      writeFileSync(join(cwd, 'rec.jsonl'), handRecording());
      expect(await at(cwd)('rec.jsonl', 'root')).toMatchObject({ exitCode: 0 });
      const checkout = join(cwd, name);
      mkdirSync(checkout);
      for (const part of ['root', 'rec.jsonl']) cpSync(join(cwd, part), join(checkout, part), { recursive: true });
      const run = at(checkout);
      const nothing = [
        ['check', 'root', '--source', 'rec.jsonl'],
        ['check', 'root', '--source', 'rec.jsonl', '--strict'],
        ['check', 'rec.jsonl', 'root'],
        ['rec.jsonl', 'root', '--diff'],
        ['rec.jsonl', 'root', '--dry-run'],
        ['batch', '--check', '--source', 'rec.jsonl', '--root', 'root'],
      ];
      for (const args of nothing) expect([args, (await run(...args)).exitCode]).toEqual([args, 0]);
    },
  );
});

describe('a bundle in a checkout without .git', () => {
  const BUNDLE = { bundle: '../bundles/grid-v1', framework: '0.9.1364' };

  test('is named as before, from a recording', async () => {
    const cwd = tempFolder();
    const repository = join(cwd, 'a');
    mkdirSync(join(repository, '.git'), { recursive: true });
    mkdirSync(join(repository, 'bundles/grid-v1/tasks'), { recursive: true });
    mkdirSync(join(repository, 'fixtures'));
    writeFileSync(join(repository, 'fixtures/rec.jsonl'), handRecording({ header: { server: BUNDLE } }));
    expect(await at(repository)('fixtures/rec.jsonl', 'root')).toMatchObject({ exitCode: 0 });
    const copy = join(cwd, 'b');
    cpSync(repository, copy, { recursive: true });
    rmSync(join(copy, '.git'), { recursive: true });
    const run = at(copy);
    expect(await run('check', 'root', '--source', 'fixtures/rec.jsonl')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'fixtures/rec.jsonl', 'root')).toMatchObject({ exitCode: 0 });
    const write = await run('fixtures/rec.jsonl', 'root', '--trust-recording');
    expect(write).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('unchanged') });
  });
});

describe('a whole recording serves a root of less', () => {
  test.each([
    ['--limit', '2'],
    ['--split', 'train'],
    ['--probes', '1'],
    ['--split', 'eval', '--limit', '1'],
  ])('%s %s', async (...flags) => {
    const server = await StandIn.start({ splits: { train: days(10), eval: days(23).slice(20) } });
    const cwd = tempFolder();
    const run = at(cwd);
    await run('record', server.url, 'rec.jsonl');
    await run(server.url, 'root', ...flags);
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'root', '--source', 'rec.jsonl')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'rec.jsonl', 'root', ...flags)).toMatchObject({ exitCode: 0 });
  });
});
