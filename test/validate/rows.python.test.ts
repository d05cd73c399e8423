import { expect, test } from 'vitest';
import { ALL_ROW_RULES, type RowContext } from '../../src/rules/index.js';
import { askGym } from '../gym/gym-python.js';

const CONTEXT: RowContext = { isDataset: false, agents: undefined, others: new Map(), vfEnvId: undefined };

/** Codes of the errors that the rules find in the params of a row. */
function codesOf(params: unknown): string[] {
  const value = { responses_create_params: params, agent_ref: { name: 'a' } };
  const facts = { file: 'a.jsonl', row: 1, value, fault: undefined, context: CONTEXT };
  return ALL_ROW_RULES.filter((rule) => rule.severity === 'error')
    .filter((rule) => [...rule.judge(facts)].length > 0)
    .map(({ code }) => code);
}

const PROGRAM = `
from nemo_gym.openai_utils import NeMoGymResponseCreateParamsNonStreaming as Params
def accepts(params):
    try:
        Params.model_validate(params)
        return True
    except Exception:
        return False
json.dump([accepts(params) for params in given], sys.stdout)
`;

const TOOL = { type: 'function', name: 'a', description: '', strict: true, parameters: {} };
const text = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });
const part = (one: object) => text([one]);
const OUTPUT = { type: 'output_text', text: 'x', annotations: [] };
const CALL = { type: 'function_call', name: 'a', arguments: '{}', call_id: '1' };
const RESULT = { type: 'function_call_output', call_id: '1', output: 'x' };

/** Params of rows, correct and not. */
const PARAMS: unknown[] = [
  ...['x', null, 1, {}, ['x'], [null], [text('x')], [text('x', { type: 'message' })], [text('x', { extra: 1 })]],
  [text('x', { type: 'foo' })],
  [{ role: 'tool', content: 'x', type: 'message' }],
  [part({ type: 'text', text: 'x' })],
  [part({ type: 'input_text', text: 'x' })],
  [part({ type: 'input_text' })],
  [part({ type: 'input_text', text: 1 })],
  [part({ text: 'x' })],
  [text(['x'])],
  [part({ type: 'input_image', image_url: 'x' })],
  [part({ type: 'input_image', image_url: 'x', detail: 'auto' })],
  [part({ type: 'input_image', image_url: { url: 'x' }, detail: 'auto' })],
  [part({ type: 'input_image', detail: 'x' })],
  [part({ type: 'image_url', image_url: { url: 'x' } })],
  [part({ type: 'input_file', file_id: 'x' })],
  [part({ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } })],
  [part({ type: 'input_video', video_url: 'x' })],
  [part({ type: 'input_video' })],
  [{ role: 'assistant', content: 'x' }],
  [{ role: 'assistant', content: [OUTPUT], id: '1', status: 'completed', type: 'message' }],
  [{ role: 'assistant', content: 'x', tool_calls: [] }],
  [CALL],
  [{ ...CALL, arguments: {} }],
  [{ ...CALL, call_id: undefined }],
  [RESULT],
  [{ ...RESULT, call_id: undefined }],
  [{ type: 'reasoning', id: '1', summary: [] }],
  [{ type: 'reasoning', summary: [] }],
  [{ type: 'item_reference', id: '1' }],
  [{ name: 'a', arguments: '{}', call_id: '1' }],
  [text('x', { status: 'completed' })],
]
  .map((input) => ({ input }) as object)
  .concat(
    [[TOOL], [], null, {}, ['x'], [{ type: 'function', function: { name: 'a', parameters: {} } }]].map((tools) => ({
      input: 'x',
      tools,
    })),
    ['type', 'name', 'parameters', 'strict', 'description'].map((key) => ({
      input: 'x',
      tools: [{ ...TOOL, [key]: undefined }],
    })),
    [
      { parameters: null },
      { parameters: [] },
      { strict: 'true' },
      { description: 1 },
      { x: 1 },
      { defer_loading: true },
    ]
      .concat([{ type: 'x' }, { name: 1 }, { allowed_callers: ['direct'] }, { description: null }] as never[])
      .map((more) => ({ input: 'x', tools: [{ ...TOOL, ...more }] })),
    [{ type: 'web_search' }, { type: 'mcp', server_label: 'x' }, { type: 'custom', name: 'x' }].map((tool) => ({
      input: 'x',
      tools: [tool],
    })),
    Object.entries({
      temperature: [1, 1.5, '1', 'x', null],
      max_output_tokens: [1, '1', 1.5, null, 1],
      metadata: [{}, { a: 'b' }, { a: 1 }, null],
      parallel_tool_calls: [true, null, 'x', 1],
      tool_choice: ['auto', 'none', 'required', 'x', null],
      model: ['m', null, 1],
      stream: [false, true, null],
      instructions: ['x', null, 1],
      text: [{}, 'x'],
      reasoning: [{}, { effort: 'low' }, 'x', null],
      include: [[], null, 'x'],
      store: [true, 'x'],
      top_p: [1, 'x'],
      background: [true, 'x'],
      user: ['x', 1],
      truncation: ['auto', 'x'],
      service_tier: ['x', 'auto'],
      top_logprobs: ['x', 1],
      messages: [[]],
      n: [1],
      max_tokens: [1],
      stop: ['x'],
      seed: [1],
    }).flatMap(([key, values]) => values.map((value) => ({ input: 'x', [key]: value }))),
  );

test('the rules find what Gym refuses in responses_create_params, and nothing else', async () => {
  const accepted = await askGym<boolean[]>(PROGRAM, PARAMS);
  const wrong = PARAMS.filter((params, at) => (codesOf(params).length === 0) !== accepted[at]);
  expect(wrong.map((params) => `${JSON.stringify(params)}: ${codesOf(params)}`)).toEqual([]);
  expect(accepted.filter((one) => one).length).toBeGreaterThan(40);
});

test.each([
  [{ input: [{}] }, 'row-input-item'],
  [{ input: [{ role: 'user' }] }, 'row-input-null'],
  [{ input: [{ role: 'user', content: 1 }] }, 'row-input-null'],
  [{ input: [{ role: 'tool', content: 'x' }] }, 'row-input-role'],
  [{ input: 'x', tools: [{ ...TOOL, name: 'verify' }] }, 'row-tool-route'],
])('%j, which Gym accepts and which breaks later, is found', (params, code) => {
  expect(codesOf(params)).toEqual([code]);
});
