import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { isRecord } from '../../src/json/guards.js';

test.each(['{}', '{"a":1}', '{"constructor":1}', '{"__proto__":null}', '{"__proto__":{"a":1}}'])(
  '%s is an object',
  (json) => {
    expect([isRecord(JSON.parse(json)), isRecord(parse(json))]).toEqual([true, true]);
  },
);

test.each(['[]', 'null', '"text"', '1', 'true', '[{}]'])('%s is not an object', (json) => {
  expect([isRecord(JSON.parse(json)), isRecord(parse(json))]).toEqual([false, false]);
});

test('an object without a prototype is an object', () => {
  expect(isRecord(Object.create(null))).toBe(true);
});
