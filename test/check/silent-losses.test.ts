// A recording may have less than its source: what it leaves out was not removed.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { handRecording } from '../support/hand-recording.js';
import { days } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

async function written() {
  const server = await StandIn.start({ splits: { train: days(10), eval: days(23).slice(20) } });
  const cwd = tempFolder();
  const run = (...args: string[]) => gymgenHere(args, { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
  await run(server.url, 'root');
  const isThere = (file: string) => existsSync(join(cwd, 'root/resources_servers/grid_v1', file));
  return { server, cwd, run, isThere };
}

describe.each([
  ['of one split', ['--split', 'eval'], "split 'train' is not in this recording"],
  ['of a few tasks', ['--limit', '2'], "split 'train': 2 of 10 tasks are in this recording, and 10 in the folder"],
])('a recording %s', (_, flags, reason) => {
  test('does not tell whether the rest was removed: no command deletes it', async () => {
    const { server, run, isThere } = await written();
    await run('record', server.url, 'rec.jsonl', ...flags);
    for (const args of [
      ['check', 'root', '--source', 'rec.jsonl'],
      ['update', 'root', '--source', 'rec.jsonl'],
      ['update', 'root', '--source', 'rec.jsonl', '--force'],
      ['rec.jsonl', 'root'],
      ['rec.jsonl', 'root', '--force'],
    ]) {
      const { exitCode, stdout, stderr } = await run(...args);
      expect([args, exitCode, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain('error: the recording lacks tasks of this folder\n');
      expect(stderr).toContain(reason);
    }
    expect(isThere('data/train.jsonl')).toBe(true);
    expect(await run('check', 'root')).toMatchObject({ exitCode: 0 });
  });

  test('serves a root that was written from it', async () => {
    const { server, run } = await written();
    await run('record', server.url, 'rec.jsonl', ...flags);
    expect(await run('rec.jsonl', 'other')).toMatchObject({ exitCode: 0 });
    expect(await run('check', 'other', '--source', 'rec.jsonl')).toMatchObject({ exitCode: 0 });
    expect(await run('rec.jsonl', 'root', ...flags)).toMatchObject({ exitCode: 0 }); // as asked
  });
});

test('a limited recording says so, if more is asked for', async () => {
  const { server, run } = await written();
  await run('record', server.url, 'rec.jsonl', '--limit', '2');
  for (const flags of [[], ['--limit', '20']]) {
    expect((await run('rec.jsonl', 'other', ...flags)).stderr).toContain('train: the recording has 2 of 10 tasks');
  }
  expect((await run('rec.jsonl', 'other', '--limit', '2', '--name', 'b')).stderr).not.toContain('of 10 tasks');
});

test('a whole recording tells that a split was removed from the source', async () => {
  const { server, run, isThere } = await written();
  delete server.splits.eval;
  await run('record', server.url, 'rec.jsonl');
  const { exitCode, stdout } = await run('check', 'root', '--source', 'rec.jsonl');
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^stale {3}data\/eval\.jsonl$/m)]);
  await run('update', 'root', '--source', 'rec.jsonl');
  expect(isThere('data/eval.jsonl')).toBe(false);
});

test('a recording of an older version does not tell what it left out', async () => {
  const { cwd, run } = await written();
  writeFileSync(join(cwd, 'old.jsonl'), handRecording());
  const { exitCode, stderr } = await run('check', 'root', '--source', 'old.jsonl');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("split 'eval' is not in this recording")]);
});

test('a split that a lock file selects, and that a recording lacks, is named', async () => {
  const { server, run } = await written();
  await run(server.url, 'some', '--split', 'train');
  await run('record', server.url, 'rec.jsonl', '--split', 'eval');
  const { exitCode, stderr } = await run('check', 'some', '--source', 'rec.jsonl');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("not in this recording: split 'train'")]);
});
