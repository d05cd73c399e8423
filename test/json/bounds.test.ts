import { describe, expect, test } from 'vitest';
import { endOfString, exceededLimit, hasTooManyValues } from '../../src/json/bounds.js';
import { LIMITS } from '../../src/limits.js';

const { jsonValues: MAX_VALUES, jsonDepth: MAX_DEPTH } = LIMITS;
const bytes = (json: string) => Buffer.from(json);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('values and keys', () => {
  test.each([
    ['empty arrays', (count: number) => `[${Array(count - 1).fill('[]')}]`],
    ['numbers', (count: number) => `[${Array(count - 1).fill('-1.5e3')}]`],
    ['strings with quotes and commas', (count: number) => `[${Array(count - 1).fill('"a\\\\\\",[{:"')}]`],
    ['members', (count: number) => `{${Array((count - 1) / 2).fill('"a" : null')}}`],
    [
      'values with whitespace between them',
      (count: number) =>
        `[ ${Array(count - 1)
          .fill('true')
          .join(' ,\n')} ]`,
    ],
  ])('%s: up to the limit is accepted, more is not', (_, make) => {
    const most = MAX_VALUES - 1; // odd, because a member is two values and the object is one
    expect(exceededLimit(bytes(make(most)))).toBeUndefined();
    expect(exceededLimit(bytes(make(most + 2)))).toBe('jsonValues');
    expect(hasTooManyValues(make(most))).toBe(false);
    expect(hasTooManyValues(make(most + 2))).toBe(true);
  });

  test('a long string is one value, whatever it contains', () => {
    expect(hasTooManyValues(JSON.stringify([',[{"'.repeat(MAX_VALUES)]))).toBe(false);
  });
});

test('depth: up to the limit is accepted, one level more is not', () => {
  expect(exceededLimit(bytes(nested(MAX_DEPTH)))).toBeUndefined();
  expect(exceededLimit(bytes(nested(MAX_DEPTH + 1)))).toBe('jsonDepth');
  expect(exceededLimit(bytes(`{"a":[${'{},'.repeat(MAX_DEPTH)}1]}`))).toBeUndefined();
});

test.each(['"', '["a', '"\\', '}}}]]', '', 'nul', ':,:,'])('invalid JSON has no exceeded limit: %s', (text) => {
  expect(exceededLimit(bytes(text))).toBeUndefined();
});

test.each([
  ['""', 1],
  ['"a"', 2],
  ['"\\""', 3],
  ['"\\\\"', 3],
  ['"\\\\\\"b"', 6],
])('the string %s ends at %d', (json, end) => {
  expect(endOfString(`${json},"x"`, 0)).toBe(end);
});
