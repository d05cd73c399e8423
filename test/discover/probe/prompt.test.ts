import { describe, expect, test } from 'vitest';
import { type PromptOptions, promptOf, type Start } from '../../../src/discover/probe/prompt.js';
import { failureOf } from '../../support/failure-of.js';

const START: Start = {
  observation: { question: 'How many?', company: 'acme', ground_truth: '7', table: [[1, 2]], reward: 1 },
  metadata: { question: 'Not this.', source: { name: 'page 3', expected_answer: 7 } },
};
const prompt = (start: Partial<Start>, options: Partial<PromptOptions> = {}) =>
  promptOf({ observation: {}, metadata: {}, ...start }, { fields: [], ...options });

describe('a prompt', () => {
  test('is the field that describes the job', () => {
    expect(prompt(START)).toEqual({ prompt: 'How many?', systemPrompt: null, from: 'question' });
  });

  test('may be in the metadata, with a system prompt', () => {
    const metadata = { prompt: 'Sell.', system_prompt: 'You trade.', secret: 1 };
    expect(prompt({ observation: { prompt: '', board: 'x' }, metadata })).toEqual({
      prompt: 'Sell.',
      systemPrompt: 'You trade.',
      from: 'metadata.prompt',
    });
  });

  test('is the observation if no field describes the job', () => {
    const observation = { message: 'Welcome!', x: 0, metadata: { hint: 'left' } };
    expect(prompt({ observation })).toEqual({ prompt: '{"message":"Welcome!","x":0}', systemPrompt: null, from: null });
  });

  test('is the description of the user, followed by the observation without secrets', () => {
    expect(prompt(START, { text: 'Answer.' })).toEqual({
      prompt: 'Answer.\n\n{"question":"How many?","company":"acme","table":[[1,2]]}',
      systemPrompt: null,
      from: '--prompt, followed by the observation',
    });
    expect(prompt({ metadata: { status: 'ready' } }, { text: 'Echo.' })).toMatchObject({
      prompt: 'Echo.',
      from: '--prompt',
    });
  });

  test('may consist of chosen fields: strings, and the rest as JSON', () => {
    const fields = ['question', 'metadata.source.name', 'observation.table', 'table.0.1'];
    expect(prompt(START, { fields })).toMatchObject({
      prompt: 'How many?\n\npage 3\n\n[[1,2]]\n\n2',
      from: fields.join(', '),
    });
    expect(prompt(START, { fields: ['metadata.source'], text: 'Look:' }).prompt).toBe('Look:\n\n{"name":"page 3"}');
  });

  const refused: [string, Partial<Start>, Partial<PromptOptions>, RegExp][] = [
    [
      'there is nothing to show',
      { metadata: { status: 'ready' } },
      {},
      /nothing to use as a prompt[\s\S]*--prompt TEXT[\s\S]*metadata\.status/,
    ],
    [
      'there is no such field',
      START,
      { fields: ['task'] },
      /no such field[\s\S]*: question, company, table, reward, metadata\.question/,
    ],
    ['a field gives the answer away', START, { fields: ['ground_truth'] }, /gives the answer away/],
    [
      'a nested field gives the answer away',
      START,
      { fields: ['metadata.source.expected_answer'] },
      /gives the answer away/,
    ],
    ['it is all metadata', START, { fields: ['metadata'] }, /metadata cannot be shown as a whole/],
    ['a field is in a string', START, { fields: ['question.toString'] }, /no such field/],
    ['a field is inherited', START, { fields: ['constructor'] }, /no such field/],
  ];
  test.each(refused)('is refused if %s', async (_, start, options, message) => {
    expect(await failureOf((async () => prompt(start, options))())).toMatch(message);
  });
});
