import { expect, test } from 'vitest';
import { closest } from '../../src/closest.js';
import { renamesUnmatched } from '../../src/rules/index.js';

test.each([
  ['subimt', 'submit'],
  ['Submit', 'submit'],
  ['get_weathr', 'get_weather'],
  ['zzz', undefined],
  ['x'.repeat(500), undefined],
])('%s is meant to be %s', (typed, expected) => {
  expect(closest(typed, ['submit', 'get_weather', 'end_turn'])).toBe(expected);
});

test('a --rename-tool that names no tool suggests the nearest', () => {
  const seen = new Set(['submit', 'end_turn']);
  expect([...renamesUnmatched({ subimt: 'a' }, seen)].map(({ fix }) => fix)).toEqual(["did you mean 'submit'?"]);
  expect([...renamesUnmatched({ other: 'a' }, seen)].map(({ fix }) => fix)).toEqual([
    "leave it out, or name one of: 'submit' 'end_turn'",
  ]);
});
