import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { amount, LIMITS, type LimitName, limitMessage, overLimit } from '../src/limits.js';

const NAMES = Object.keys(LIMITS) as LimitName[];
const docs = readFileSync(fileURLToPath(new URL('../docs/limits.md', import.meta.url)), 'utf8');

test('docs/limits.md lists each limit with its value, in order', () => {
  const rows = [...docs.matchAll(/^\| (\w+) \| ([^|]+) \| ([^|]+) \|$/gm)].filter(([, name]) => name !== 'limit');
  expect(rows.map(([, name, number]) => [name, number])).toEqual(NAMES.map((name) => [name, amount(name)]));
  for (const [, , , bounds] of rows) expect(bounds).toMatch(/\w/);
});

test.each(NAMES)('an error about %s has the name and value of the limit', (name) => {
  const { message, where, fix, exitCode } = overLimit(name, { where: 'a server' });
  expect(message).toContain(`the limit is ${amount(name)} (${name})`);
  expect([where, exitCode]).toEqual(['a server', 2]);
  expect(fix).toContain('docs/limits.md');
});

test('a changed limit is shown with its own value and unit', () => {
  expect(limitMessage('responseBytes', 10_000)).toBe('response too large: the limit is 10,000 bytes (responseBytes)');
  expect(limitMessage('responseSeconds', 0.5)).toBe('response took too long: the limit is 0.5 s (responseSeconds)');
  expect(limitMessage('splits')).toBe('too many splits: the limit is 1,000 (splits)');
});
