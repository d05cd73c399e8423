import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { observationText } from '../../src/discover/observation-text.js';

interface Case {
  name: string;
  observation: Record<string, unknown>;
  text: string;
}

const CASES = parse(
  readFileSync(fileURLToPath(new URL('../../fixtures/observations.json', import.meta.url)), 'utf8'),
) as Case[];

test.each(CASES)('$name', ({ observation, text }) => {
  expect(observationText(observation)).toBe(text);
});

test('a text that is too long loses its middle, counted in characters, and says so', () => {
  const text = observationText({ log: '🥛'.repeat(40_000) });
  const [head, said, tail] = text.split('\n');
  expect([...(head ?? '')]).toHaveLength(24_000);
  expect(said).toBe(`[${40_000 + '{"log":""}'.length - 32_000} characters left out here]`);
  expect([...(tail ?? '')]).toHaveLength(8000);
});
