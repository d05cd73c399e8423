import { expect, test } from 'vitest';
import { closest } from '../src/closest.js';

test.each([
  ['subimt', 'submit'],
  ['Submit', 'submit'],
  ['get_weathr', 'get_weather'],
  ['zzz', undefined],
  ['x'.repeat(500), undefined],
])('the name closest to %s is %s', (typed, expected) => {
  expect(closest(typed, ['submit', 'get_weather', 'end_turn'])).toBe(expected);
});
