import { expect, test } from 'vitest';
import { rowLength, tokensOf } from '../../src/written/index.js';

const row = (params: object) => ({ responses_create_params: params });

test('counts the characters of messages and the JSON of tools', () => {
  const input = [
    { role: 'system', content: 'Trade.' },
    { role: 'user', content: [{ type: 'input_text', text: 'now' }, { type: 'input_image' }] },
  ];
  const tools = [{ name: 'end_turn' }];
  expect(rowLength(row({ input, tools }))).toEqual({ prompt: 9, tools: '[{"name":"end_turn"}]'.length });
  expect(rowLength(row({ input: 'Trade.' }))).toEqual({ prompt: 6, tools: 0 });
});

test('parts of another type count as empty', () => {
  for (const params of [7, null, [], { input: 7 }, { input: [null, 7, { content: null }, { content: [7] }] }]) {
    expect(rowLength({ responses_create_params: params })).toEqual({ prompt: 0, tools: 0 });
  }
});

test('a token has 4 characters', () => {
  expect(tokensOf({ prompt: 5, tools: 4 })).toBe(3);
});
