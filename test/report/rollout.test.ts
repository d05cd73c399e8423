import { describe, expect, test } from 'vitest';
import { rolloutOf } from '../../src/report/rollout.js';
import { transcriptOf } from '../../src/report/transcript.js';
import { simpleRollout } from './support.js';

const ids = (prompt: number, generation: number) => ({ prompt_token_ids: prompt, generation_token_ids: generation });
const call = (more: object = {}) => ({
  type: 'function_call',
  call_id: 'c',
  name: 'buy',
  arguments: '{"n": 9223372036854775807}',
  ...more,
});
const answer = { type: 'function_call_output', call_id: 'c', output: 'ok' };
const said = (more: object = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'done' }],
  ...more,
});

describe('tokens', () => {
  test('come from the ids of each turn', () => {
    const output = [{ type: 'reasoning' }, call(ids(100, 20)), answer, said(ids(130, 5))];
    expect(rolloutOf(simpleRollout({ response: { output } }), 1)).toMatchObject({
      turns: 2,
      generated: 25,
      prompt: 100,
      sequence: 135,
    });
  });

  test('come from the usage, whose prompts are summed over all turns', () => {
    const usage = { input_tokens: 200, output_tokens: 30 };
    const single = rolloutOf(simpleRollout({ response: { output: [said()], usage } }), 1);
    expect(single).toMatchObject({ generated: 30, prompt: 200, sequence: 230 });
    const several = rolloutOf(simpleRollout({ response: { output: [call(), answer, said()], usage } }), 1);
    expect(several).toMatchObject({ turns: 2, generated: 30 });
    expect(several).not.toHaveProperty('prompt');
  });
});

test('a mask is read where NeMo RL reads it, too', () => {
  expect(rolloutOf(simpleRollout({ instance_config: { mask_sample: true } }), 1).mask).toEqual({
    kind: 'no kind',
    reason: '',
  });
});

test.each([
  [{}],
  [{ reward: 1, response: null }],
  [{ response: { output: 'x' } }],
  [{ response: { output: [1, null, []] }, agent_ref: [], responses_create_params: 7 }],
])('the odd line %j is a rollout without a conversation', (line) => {
  expect(rolloutOf(line, 3)).toMatchObject({ line: 3, label: 'line 3', calls: [], turns: 0 });
  expect(transcriptOf(line, JSON.stringify(line)).entries).toEqual([]);
});

test('a transcript has the turns of the model, and tools by their names', () => {
  const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
  const line = simpleRollout({
    response: { output: [reasoning, call(), answer, said()], incomplete_details: { reason: 'max_output_tokens' } },
    reward_components: { profit: 0.5, note: 'x' },
    seed: 9,
  });
  const transcript = transcriptOf(line, JSON.stringify(line).replace('"seed":9', '"seed":1.0'));
  expect(transcript.entries).toEqual([
    { kind: 'user', text: 'Day 0' },
    { kind: 'reasoning', text: 'hm', turn: 1 },
    { kind: 'call', name: 'buy', text: '{"n": 9223372036854775807}' },
    { kind: 'answer', name: 'buy', text: 'ok' },
    { kind: 'assistant', text: 'done', turn: 2 },
  ]);
  expect(transcript).toMatchObject({
    components: [['profit', 0.5]],
    tools: ['end_turn'],
    incomplete: 'max_output_tokens',
    row: { text: '{"seed":1.0}' },
  });
});

test('long texts and many entries are cut, and the page says by how much', () => {
  const long = `${'a'.repeat(10_000_000)}end`;
  const [entry] = transcriptOf(simpleRollout({ response: { output: [said({ content: long })] } }), '{}').entries.slice(
    -1,
  );
  expect(entry?.text).toMatch(/^a{15000}$/);
  expect(entry?.end).toMatch(/^a+end$/);
  expect((entry?.text.length ?? 0) + (entry?.end?.length ?? 0) + (entry?.cut ?? 0)).toBe(long.length);

  const many = transcriptOf(
    simpleRollout({ response: { output: Array(1000).fill(said({ content: 'x'.repeat(5000) })) } }),
    '{}',
  );
  expect(many.entries).toHaveLength(400);
  expect(many.left).toBe(601); // the prompt is an entry, too
  expect(JSON.stringify(many).length).toBeLessThan(500_000);
});

test('a text is not cut inside a surrogate pair', () => {
  const line = simpleRollout({ response: { output: [said({ content: `a${'🔋'.repeat(20_000)}` })] } });
  const { text, end } = transcriptOf(line, '{}').entries.at(-1) ?? { text: '' };
  for (const part of [text, end]) expect(Buffer.from(part ?? '').toString()).toBe(part);
});
