import { expect, test } from 'vitest';
import type { RowsDifference } from '../../src/check/difference.js';
import { RowsComparison } from '../../src/check/rows-comparison.js';

const row = (index: number, content = `Day ${index}.`, id = `b/day-${index}`) =>
  JSON.stringify({
    responses_create_params: { input: [{ role: 'user', content }], tools: [] },
    split: 'train',
    index,
    task_id: id,
  });

function compare(before: string[], after: string[]): RowsDifference | undefined {
  const comparison = new RowsComparison();
  for (let at = 0; at < Math.max(before.length, after.length); at += 1) comparison.add(before[at], after[at], at + 1);
  return comparison.end();
}

const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));

test('equal rows have no differences', () => {
  expect(compare(rows(5), rows(5))).toBeUndefined();
});

test('matches tasks in any order', () => {
  const shuffled = [3, 0, 4, 1, 2].map((day, index) => row(index, `Day ${day}.`, `b/day-${day}`));
  expect(compare(rows(5), shuffled)).toMatchObject({ moved: { count: 5 }, added: { count: 0 }, removed: { count: 0 } });
});

test('counts all changes, and names the first', () => {
  const changed = compare(
    rows(500),
    rows(500).map((_, index) => row(index, 'New.')),
  );
  expect(changed?.changed).toMatchObject({ count: 500, fields: { prompt: 500 } });
  expect(changed?.changed.first).toHaveLength(10);
  const other = compare(
    rows(500),
    rows(400).map((_, index) => row(index, 'x', `b/other-${index}`)),
  );
  expect(other).toMatchObject({ added: { count: 400 }, removed: { count: 500 } });
  expect(other?.removed.first[0]).toEqual({ task: "train[0] 'day-0'", line: 1 });
});

test('bounds memory: tasks that moved far count as removed and added', () => {
  const long = 'x'.repeat(100_000);
  const before = Array.from({ length: 100 }, (_, index) => row(index, long));
  const after = Array.from({ length: 100 }, (_, index) => row(index, long, `b/day-${(index + 50) % 100}`));
  const found = compare(before, after) as RowsDifference;
  expect(found.added.count).toBe(found.removed.count);
  expect(found.added.count + found.moved.count).toBe(100);
});

test('names the fewest rows that are out of order, and neither shifted ones nor those with another index', () => {
  const order = (...lines: number[]) =>
    compare(
      lines.map((line) => row(line)),
      rows(6),
    )?.reordered.first.map(({ line }) => line);
  expect(order(1, 0, 2, 3, 4, 5)).toEqual([1, 2]);
  expect(order(5, 0, 1, 2, 3, 4)).toEqual([1]);
  expect(order(1, 2, 3, 4, 5, 0)).toEqual([6]);
  expect(order(0, 2, 3, 4, 5)).toEqual([]);
  expect(order(5, 0, 2, 3, 4)).toEqual([1]);
  const renumbered = compare(
    rows(4),
    [3, 0, 1, 2].map((day, index) => row(index, `Day ${day}.`, `b/day-${day}`)),
  );
  expect(renumbered).toMatchObject({ moved: { count: 4 }, reordered: { count: 0 } });
});

test('finds a repeated row, and a change of JSON formatting', () => {
  const twice = compare([row(0), row(0), row(1)], [row(0), row(1)]);
  expect(twice).toMatchObject({ removed: { count: 1 }, added: { count: 0 } });
  const spelt = compare([row(0).replace('"index":0', '"index":0.0')], [row(0)]);
  expect(spelt?.changed.fields).toEqual({ 'JSON formatting': 1 });
});

test('finds a line that only begins and ends like a row', () => {
  const half = row(1).replace('"tools":[]', '"tools":[');
  expect(compare([row(0), half, row(2)], rows(3))).toMatchObject({ broken: { count: 1 }, added: { count: 1 } });
  expect(compare([row(0), half], rows(1))).toMatchObject({ broken: { count: 1 }, added: { count: 0 } });
});
