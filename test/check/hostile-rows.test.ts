import { expect, test } from 'vitest';
import { RowsComparison } from '../../src/check/rows-comparison.js';
import { LIMITS } from '../../src/limits.js';

const row = (extra: string) => `{"responses_create_params":{"input":[]},"x":${extra},"task_id":"a"}`;

function compared(before: string) {
  const comparison = new RowsComparison();
  comparison.add(before, row('1'), 1);
  return comparison.end();
}

test('a row that is nested too deeply to compare differs as a whole', () => {
  const found = compared(row('['.repeat(100_000) + ']'.repeat(100_000)));
  expect(Object.keys(found?.changed.fields ?? {})).toEqual(['values nested too deeply to compare']);
});

test('a line with more values than a row can have is not a row', () => {
  const found = compared(row(`[${'[],'.repeat(LIMITS.jsonValues)}1]`));
  expect([found?.broken.count, found?.added.count]).toEqual([1, 1]);
});

test('names a few of many changed fields, and the number of others', () => {
  const fields = Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(',');
  const found = compared(`{"responses_create_params":{"input":[]},${fields},"x":1,"task_id":"a"}`);
  const told = found?.changed.first[0]?.fields ?? [];
  expect([told.length, told.at(-1)?.field]).toEqual([31, '99970 more fields']);
});

test('counts fields with any name', () => {
  expect(compared(row('1,"constructor":1'))?.changed.fields).toEqual({ constructor: 1 });
});
