import { describe, expect, test } from 'vitest';
import { endOfString, exceededLimit, hasTooManyValues } from '../src/json/bounds.js';
import { LIMITS } from '../src/limits.js';

const { jsonValues: MOST, jsonDepth: DEEPEST } = LIMITS;
const bytes = (json: string) => Buffer.from(json);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('values and keys', () => {
  test.each([
    ['empty arrays', (count: number) => `[${Array(count - 1).fill('[]')}]`],
    ['numbers', (count: number) => `[${Array(count - 1).fill('-1.5e3')}]`],
    ['texts with quotes and commas in them', (count: number) => `[${Array(count - 1).fill('"a\\\\\\",[{:"')}]`],
    ['members', (count: number) => `{${Array((count - 1) / 2).fill('"a" : null')}}`],
    [
      'values between blanks',
      (count: number) =>
        `[ ${Array(count - 1)
          .fill('true')
          .join(' ,\n')} ]`,
    ],
  ])('%s: as many as the limit pass, two more do not', (_, make) => {
    const most = MOST - 1; // odd, so that members fit
    expect(exceededLimit(bytes(make(most)))).toBeUndefined();
    expect(exceededLimit(bytes(make(most + 2)))).toBe('jsonValues');
    expect(hasTooManyValues(make(most))).toBe(false);
    expect(hasTooManyValues(make(most + 2))).toBe(true);
  });

  test('a long text is one value, whatever is in it', () => {
    expect(hasTooManyValues(JSON.stringify([',[{"'.repeat(MOST)]))).toBe(false);
  });
});

test('as deep as the limit passes, one level more does not', () => {
  expect(exceededLimit(bytes(nested(DEEPEST)))).toBeUndefined();
  expect(exceededLimit(bytes(nested(DEEPEST + 1)))).toBe('jsonDepth');
  expect(exceededLimit(bytes(`{"a":[${'{},'.repeat(DEEPEST)}1]}`))).toBeUndefined();
});

test.each(['"', '["a', '"\\', '}}}]]', '', 'nul', ':,:,'])('what is not JSON is gone through: %s', (text) => {
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
