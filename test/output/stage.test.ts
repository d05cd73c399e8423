import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OutputFile, writeFolder } from '../../src/output/index.js';
import { folderOf, NAME, snapshot, tempFolder, write } from './support/gym-root.js';

const MIB = 1 << 20;
const options = { signal: new AbortController().signal };

test('rows are streamed to the disk, with bounded memory', async () => {
  const root = tempFolder();
  const row = `"${'x'.repeat(2397)}"\n`;
  const chunk = Buffer.from(row.repeat(100));
  const staged = join(root, '.gymgen', NAME, 'files/data/train.jsonl');
  let produced = 0;
  let held = 0;
  async function* rows() {
    for (let count = 0; count < 400; count += 1) {
      // Rows that were generated but are not on disk yet are in memory.
      if (produced > 0) held = Math.max(held, produced - statSync(staged).size);
      produced += chunk.length;
      yield chunk;
    }
  }
  async function* files(): AsyncGenerator<OutputFile> {
    yield { path: 'data/train.jsonl', rows: rows() };
  }
  const written = await writeFolder({ gymRoot: root, name: NAME }, files(), () => ({}), options);
  expect(written.plan.rows).toEqual({ 'data/train.jsonl': 40_000 });
  expect(statSync(join(folderOf(root), 'data/train.jsonl')).size).toBe(produced);
  expect(produced).toBeGreaterThan(90 * MIB);
  expect(held).toBeLessThan(3 * MIB);
});

test('a file is read to its end before the next one is requested', async () => {
  const events: string[] = [];
  async function* rows(name: string) {
    events.push(`${name} begins`);
    yield Buffer.from('{}\n');
    events.push(`${name} ends`);
  }
  async function* files(): AsyncGenerator<OutputFile> {
    for (const name of ['a', 'b']) yield { path: `data/${name}.jsonl`, rows: rows(name) };
    events.push('no more files');
  }
  const record = () => {
    events.push('record');
    return {};
  };
  await writeFolder({ gymRoot: tempFolder(), name: NAME }, files(), record, options);
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'no more files', 'record']);
});

test('an empty split becomes an empty file', async () => {
  const root = tempFolder();
  const written = await write(root, { 'data/empty.jsonl': [], 'data/none.jsonl': [''] });
  expect(written.plan.rows).toEqual({ 'data/empty.jsonl': 0, 'data/none.jsonl': 0 });
  expect(snapshot(folderOf(root))).toMatchObject({ 'data/empty.jsonl': '', 'data/none.jsonl': '' });
});

test('a chunk of rows that ends in the middle of a line is a bug', async () => {
  await expect(write(tempFolder(), { 'data/a.jsonl': ['{}\n', '{'] })).rejects.toThrow('whole lines');
});
