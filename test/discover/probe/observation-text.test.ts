import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { doubtfulFields, observationText } from '../../../src/discover/probe/observation-text.js';

interface Case {
  name: string;
  observation: Record<string, unknown>;
  text: string;
}

const CASES = parse(
  readFileSync(fileURLToPath(new URL('../../../fixtures/observations.json', import.meta.url)), 'utf8'),
) as Case[];

test.each(CASES)('$name', ({ observation, text }) => {
  expect(observationText(observation)).toBe(text);
});

test('a long text loses its middle, with a note that counts the characters', () => {
  const text = observationText({ log: '🥛'.repeat(40_000) });
  const [head, said, tail] = text.split('\n');
  expect([...(head ?? '')]).toHaveLength(24_000);
  expect(said).toBe(`[${40_000 + '{"log":""}'.length - 32_000} characters left out here]`);
  expect([...(tail ?? '')]).toHaveLength(8000);
});

test('fields that may give the answer away are found by words in their names', () => {
  const shown = {
    info: [{ target_word: 'x', bestMove: 'y', optimalPath: [1] }],
    correctOption: 'a',
    labels: ['b'],
    retarget: 1,
  };
  const notFound = { was_correct: true, answer: '', solution: 'never shown', done: false, metadata: { answer: 'x' } };
  expect([...doubtfulFields({ ...shown, ...notFound })]).toEqual([
    'target_word',
    'optimalPath',
    'correctOption',
    'labels',
  ]);
});

test('secrets beside a field called constructor are left out, too', () => {
  expect(observationText({ info: { constructor: 1, solution: 'abc' } })).toBe('{"info":{"constructor":1}}');
});
