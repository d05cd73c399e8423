import { describe, expect, test } from 'vitest';
import { memberAt, members } from '../../src/json/members.js';

describe('members', () => {
  test.each<[json: string, want: Record<string, string>]>([
    ['{}', {}],
    [' [ ] ', {}],
    ['{"a":1.0}', { a: '1.0' }],
    ['\n{ "a" : -1E+400 ,\t"b":[1, 2] }\n', { a: '-1E+400', b: '[1, 2]' }],
    ['["x",{"a":[]},null,[[1],[2]]]', { 0: '"x"', 1: '{"a":[]}', 2: 'null', 3: '[[1],[2]]' }],
    ['{"a":"}],:{[","b":"\\\\","c":"\\""}', { a: '"}],:{["', b: '"\\\\"', c: '"\\""' }],
    ['{"\\u0061\\"":true,"":false}', { 'a"': 'true', '': 'false' }],
    ['{"a":1,"b":2,"a":3}', { a: '3', b: '2' }],
    ['"text"', {}],
    ['9007199254740993', {}],
  ])('%s', (json, want) => {
    expect(members(json)).toEqual(new Map(Object.entries(want)));
  });

  test('come in the order of the text', () => {
    expect([...members('{"b":1,"10":2,"9":3,"__proto__":4}').keys()]).toEqual(['b', '10', '9', '__proto__']);
  });

  test('may be long and deep', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const long = `"${'\\n'.repeat(500_000)}"`;
    expect(members(`{"deep":${deep},"long":${long}}`)).toEqual(new Map(Object.entries({ deep, long })));
  });
});

test('a nested member is found by its path', () => {
  const json = '{"data":{"a":[{"b":1.50}]}}';
  expect(memberAt(json, 'data', 'a', '0', 'b')).toBe('1.50');
  expect(memberAt(json, 'data', 'x', '0')).toBeUndefined();
});
