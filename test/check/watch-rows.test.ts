import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RowsDifference } from '../../src/check/difference.js';
import { RowsComparison } from '../../src/check/rows-comparison.js';
import { watchRows } from '../../src/check/watch-rows.js';
import { tempFolder } from './support.js';

const ROWS = 200;
const CHUNK = 7;

const row = (index: number, content = `Day ${index} → night.`) =>
  `{"responses_create_params":{"input":[{"role":"user","content":"${content}"}],"tools":[]},"split":"train","index":${index},"task_id":"b/day-${index}"}`;
const generated = Array.from({ length: ROWS }, (_, index) => row(index));

async function watched(there: string): Promise<{ same: boolean; found: RowsDifference | undefined }> {
  const path = join(tempFolder(), 'rows.jsonl');
  writeFileSync(path, there);
  const comparison = new RowsComparison();
  const { rows, seen } = watchRows(chunks(), path, comparison);
  let passed = '';
  for await (const chunk of rows) passed += chunk;
  expect(passed).toBe(text(generated));
  return { same: seen.same, found: comparison.end() };
}

async function* chunks(): AsyncGenerator<Buffer> {
  for (let at = 0; at < ROWS; at += CHUNK) yield Buffer.from(text(generated.slice(at, at + CHUNK)));
}

/** The differences when each line is compared. */
function byLine(there: string[]): RowsDifference | undefined {
  const comparison = new RowsComparison();
  for (let at = 0; at < Math.max(there.length, ROWS); at += 1) comparison.add(there[at], generated[at], at + 1);
  return comparison.end();
}

const text = (rows: string[]) => rows.map((line) => `${line}\n`).join('');

test.each<[string, (rows: string[]) => unknown]>([
  ['nothing', () => {}],
  ['the first row', (rows) => rows.splice(0, 1, row(0, 'New.'))],
  ['rows here and there', (rows) => [3, 50, 51, 199].map((at) => rows.splice(at, 1, row(at, 'New.')))],
  ['all rows', (rows) => rows.splice(0, ROWS, ...rows.map((_, at) => row(at, 'New.')))],
  ['a row that is missing', (rows) => rows.splice(60, 1)],
  ['a row too many', (rows) => rows.splice(60, 0, row(1000))],
  ['one missing, and one too many further on', (rows) => [rows.splice(20, 1), rows.splice(90, 0, row(1000))]],
  ['the last rows', (rows) => rows.splice(-10, 10)],
  ['rows too many at the end', (rows) => rows.push(row(1000), row(1001))],
  ['a line that is no row', (rows) => rows.splice(100, 1, 'oops')],
  ['no rows at all', (rows) => rows.splice(0, ROWS)],
])('%s: what is passed over in chunks is what no line differs in', async (name, change) => {
  const there = [...generated];
  change(there);
  const { same, found } = await watched(text(there));
  expect(found).toEqual(byLine(there));
  expect(same).toBe(name === 'nothing');
  expect((await watched(text(there).replaceAll('\n', '\r\n'))).found).toEqual(byLine(there));
});

test('a last line without a line break is a valid row, and only the line break is missing', async () => {
  const { same, found } = await watched(text(generated).slice(0, -1));
  expect(same).toBe(false);
  expect(found).toMatchObject({ unended: true, changed: { count: 0 }, added: { count: 0 }, removed: { count: 0 } });
});
