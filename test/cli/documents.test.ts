// Real output of --json, validated with the schemas from which docs/json.md is generated.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { rolloutLines } from '../../bench/support/rollouts.mjs';
import { BatchDocument } from '../../src/documents/schemas/batch.js';
import { CheckDocument } from '../../src/documents/schemas/check.js';
import { DoctorDocument } from '../../src/documents/schemas/doctor.js';
import { ErrorDocument } from '../../src/documents/schemas/error.js';
import { InspectDocument } from '../../src/documents/schemas/inspect.js';
import { RecordDocument } from '../../src/documents/schemas/record.js';
import { RolloutsReportDocument, ServerReportDocument } from '../../src/documents/schemas/report.js';
import { UpdateDocument } from '../../src/documents/schemas/update.js';
import { WriteDocument } from '../../src/documents/schemas/write.js';
import { tempFolder } from '../support/built-cli.js';
import { gymgenHere } from '../support/cli-here.js';
import { days, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const FOLDER = 'root/resources_servers/grid_v1';

async function place() {
  const turns = () => [[tool('trade', { type: 'array', items: {} })]]; // with a warning
  const server = await StandIn.start({ splits: { train: days(5), eval: days(2) }, turns });
  const cwd = tempFolder();
  /** Runs a command and checks its document. */
  const json = async <Schema extends z.ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> => {
    const { stdout } = await gymgenHere([...args, '--json'], { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
    return schema.parse(JSON.parse(stdout));
  };
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(cwd, FOLDER, file), change(readFileSync(join(cwd, FOLDER, file), 'utf8')));
  return { url: server.url, cwd, json, edit };
}

test('write: planned, written, and unchanged with a kept setting', async () => {
  const { url, json, edit } = await place();
  const planned = await json(WriteDocument, url, 'root', '--dry-run');
  expect(planned).toMatchObject({ status: 'planned', row: expect.any(String) });
  expect(await json(WriteDocument, url, 'root')).toMatchObject({
    status: 'wrote',
    warnings: [{ code: 'schema-top-level' }],
  });
  edit('configs/grid_v1.yaml', (text) => text.replace(/^( +)url: .*/m, '$&\n$1tool_timeout: 7'));
  expect(await json(WriteDocument, url, 'root')).toMatchObject({ kept: { tool_timeout: 7 } });
});

test('check and write --diff: every kind of difference', async () => {
  const { url, cwd, json, edit } = await place();
  await json(WriteDocument, url, 'root');
  expect(await json(CheckDocument, 'check', 'root')).toMatchObject({ status: 'same' });
  edit('app.py', (text) => `${text}# mine\n`);
  edit('data/train.jsonl', (text) => {
    const [first = '', , third = '', ...rest] = text.split('\n');
    return [first.replace('Day 0.', 'Day 100.'), third, third, '', 'not a row', ...rest].join('\n');
  });
  const checked = await json(CheckDocument, 'check', 'root');
  expect(checked).toMatchObject({ status: 'differs', folders: [{ status: 'differs' }] });
  const rows = checked.folders[0]?.differences.find(({ path }) => path === 'data/train.jsonl')?.rows;
  expect(rows).toMatchObject({ changed: { count: 1 }, broken: { count: 1 }, blank: { count: 1 } });
  const diff = await json(CheckDocument, url, 'root', '--diff');
  expect(diff.folders[0]?.differences).toEqual(checked.folders[0]?.differences);
  await json(WriteDocument, url, 'root', '--name', 'other');
  const lock = join(cwd, 'root/resources_servers/other/gymgen.lock.json');
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(url, 'http://127.0.0.1:9'));
  expect(await json(CheckDocument, 'check', 'root')).toMatchObject({
    status: 'failed',
    failures: [{ name: 'other' }],
  });
});

test('update: written folders, kept edits and failures', async () => {
  const { url, cwd, json } = await place();
  await json(WriteDocument, url, 'root');
  await json(WriteDocument, url, 'root', '--name', 'other');
  appendFileSync(join(cwd, FOLDER, 'README.md'), 'mine\n');
  const lock = join(cwd, 'root/resources_servers/other/gymgen.lock.json');
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(url, 'http://127.0.0.1:9'));
  expect(await json(UpdateDocument, 'update', 'root')).toMatchObject({
    folders: [
      { name: 'grid_v1', edited: [{ path: 'README.md', state: 'edited' }] },
      { name: 'other', status: 'failed' },
    ],
  });
});

test('batch: each status', async () => {
  const { url, json } = await place();
  const sources = ['--source', url, '--source', 'http://127.0.0.1:9', '--root', 'root', '--retries', '0'];
  const statuses = async (...args: string[]) =>
    (await json(BatchDocument, 'batch', ...sources, '--concurrency', '1', ...args)).jobs.map(({ status }) => status);
  expect(await statuses('--check')).toEqual(['differs', 'failed']);
  expect(await statuses()).toEqual(['wrote', 'failed']);
  expect(await statuses()).toEqual(['unchanged', 'failed']);
  expect(await statuses('--check')).toEqual(['same', 'failed']);
});

test('record and inspect', async () => {
  const { url, json } = await place();
  expect(await json(RecordDocument, 'record', url, 'grid.jsonl')).toMatchObject({ environment: 'grid-v1' });
  const served = await json(InspectDocument, 'inspect', url);
  expect(served.splits.map(({ count }) => count)).toEqual([5, 2]);
  const recorded = await json(InspectDocument, 'inspect', 'grid.jsonl');
  expect(recorded.toolsets).toEqual(served.toolsets);
});

test('report: of rollouts and of a server', async () => {
  const { url, cwd, json } = await place();
  for (const [name, skill] of [
    ['before.jsonl', 0.2],
    ['after.jsonl', 0.8],
  ] as const) {
    writeFileSync(join(cwd, name), [...rolloutLines({ tasks: 10, repeats: 2, faults: 0.2, skill }), '{\n'].join(''));
  }
  expect(await json(RolloutsReportDocument, 'report', 'before.jsonl', 'after.jsonl')).toMatchObject({
    runs: [
      { file: 'before.jsonl', summary: { rollouts: 20, repeated: 10 }, unreadable: { count: 1 } },
      { file: 'after.jsonl', summary: { rollouts: 20, repeated: 10 }, unreadable: { count: 1 } },
    ],
    change: { tasks: expect.any(Number) },
  });
  await json(WriteDocument, url, 'root');
  const limit = ['--max-total-sequence-length', '1'];
  expect(await json(ServerReportDocument, 'report', FOLDER, ...limit)).toMatchObject({
    name: 'grid_v1',
    splits: [
      { name: 'eval', rows: 2 },
      { name: 'train', rows: 5 },
    ],
    overLimit: { count: 7 },
  });
});

test('doctor', async () => {
  const { json } = await place();
  expect((await json(DoctorDocument, 'doctor')).checks).toHaveLength(8);
});

test('errors of a command, of its options and of the command line', async () => {
  const { url, json } = await place();
  for (const args of [
    ['http://127.0.0.1:9', 'root'],
    [url, 'root', '--limit', '0'],
    [url, 'root', '--no-such-option'],
    ['check', 'nowhere'],
  ]) {
    expect(await json(ErrorDocument, ...args)).toMatchObject({ exitCode: 2 });
  }
});
