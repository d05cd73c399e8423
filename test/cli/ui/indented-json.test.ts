import { expect, test } from 'vitest';
import { indentedJson } from '../../../src/cli/ui/indented-json.js';

test.each([
  [{ a: [1, { b: '{"c": [1, 2]}', d: [] }], e: {}, f: null, g: 'say \\"x\\"' }],
  [[]],
  ['a'],
  [[[1, 'b'], { '': true }]],
])('is what JSON.stringify gives: %j', (value) => {
  expect(indentedJson(JSON.stringify(value)).join('\n')).toBe(JSON.stringify(value, null, 2));
});

test('numbers and repeated keys keep their spelling', () => {
  expect(indentedJson('{"a":9223372036854775807,"a":1.0}')).toEqual([
    '{',
    '  "a": 9223372036854775807,',
    '  "a": 1.0',
    '}',
  ]);
});
