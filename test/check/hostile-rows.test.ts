import { expect, test } from 'vitest';
import { RowsComparison } from '../../src/check/rows-comparison.js';
import { LIMITS } from '../../src/limits.js';

const row = (extra: string) => `{"responses_create_params":{"input":[]},"x":${extra},"task_id":"a"}`;

function compared(before: string) {
  const comparison = new RowsComparison();
  comparison.add(before, row('1'), 1);
  return comparison.end();
}

test('a row nested too deeply to compare differs as a whole', () => {
  const found = compared(row('['.repeat(100_000) + ']'.repeat(100_000)));
  expect(Object.keys(found?.changed.fields ?? {})).toEqual(['values nested too deeply to compare']);
});

test('a line of more values than a row can have is no row', () => {
  const found = compared(row(`[${'[],'.repeat(LIMITS.jsonValues)}1]`));
  expect([found?.broken.count, found?.came.count]).toEqual([1, 1]);
});
