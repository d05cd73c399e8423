import { expect, test } from 'vitest';
import { textDiff } from '../../src/check/text-diff.js';

const numbered = (count: number, change: (n: number) => string = String) =>
  `${Array.from({ length: count }, (_, n) => change(n)).join('\n')}\n`;

test('a unified diff treats CR LF as LF', () => {
  const after = numbered(9, (n) => (n === 4 ? 'four' : String(n)));
  expect(textDiff(numbered(9).replaceAll('\n', '\r\n'), after)).toEqual([
    '@@ -2,7 +2,7 @@',
    ' 1',
    ' 2',
    ' 3',
    '-4',
    '+four',
    ' 5',
    ' 6',
    ' 7',
  ]);
});

test('cuts long lines around the difference', () => {
  const line = (middle: string) => `${'a'.repeat(1000)}${middle}${'b'.repeat(1000)}\n`;
  const [, one, other] = textDiff(line('OLD'), line('NEW'));
  expect(one).toMatch(/^-…a+OLDb+…$/);
  expect(other).toMatch(/^\+…a+NEWb+…$/);
  expect(one?.length).toBeLessThan(200);
});

test('cuts a long diff, and makes none if nearly every line differs', () => {
  expect(textDiff('', numbered(500)).at(-1)).toBe('(301 more lines)');
  expect(
    textDiff(
      numbered(5000),
      numbered(5000, (n) => `x${n}`),
    ),
  ).toEqual(['(nearly every line differs)']);
});
