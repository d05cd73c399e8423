import { expect, it } from 'vitest';
import { jsonProblem } from '../../src/rules/index.js';
import { JSON_TEXTS } from './json-text.cases.js';

it.each(JSON_TEXTS)('the fault of %j: %s', (text, fault) => {
  if (fault === undefined) expect(jsonProblem(text)).toBeUndefined();
  else expect(jsonProblem(text)).toMatch(fault);
});

it('accepts up to 128 levels', () => {
  expect(jsonProblem('['.repeat(128) + ']'.repeat(128))).toBeUndefined();
  expect(jsonProblem('['.repeat(129) + ']'.repeat(129))).toMatch(/129 levels/);
});

it('checks very large and very deep texts', () => {
  const long = JSON.stringify({ text: '\\"'.repeat(2_000_000), list: Array(200_000).fill(12345.5) });
  expect(jsonProblem(long)).toBeUndefined();
  expect(jsonProblem('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toMatch(/levels/);
});
