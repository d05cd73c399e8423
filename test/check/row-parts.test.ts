import { expect, test } from 'vitest';
import { rowFields, SPELT } from '../../src/check/row-fields.js';
import { RowParts } from '../../src/check/row-parts.js';

const tool = (description: string) => ({ type: 'function', name: 'submit', description, parameters: {} });

/** A row as gymgen spells rows. */
function row({ prompt = 'A day.', tools = [tool('Submit.')], more = { index: 3 } as object, input = {} } = {}): string {
  const params = { input: [{ role: 'user', content: prompt, ...input }], tools };
  const agent = { type: 'responses_api_agents', name: 'grid_simple_agent' };
  return JSON.stringify({ responses_create_params: params, agent_ref: agent, split: 'train', ...more, task_id: 'd' });
}

const whole = (before: string, after: string) => rowFields(JSON.parse(before), JSON.parse(after));

test.each<[string, string, string]>([
  ['a prompt', row(), row({ prompt: 'Another day.' })],
  ['an index', row(), row({ more: { index: 4 } })],
  ['a tool', row(), row({ tools: [tool('Send.')] })],
  ['another tool', row(), row({ tools: [] })],
  ['all', row(), row({ prompt: 'x', tools: [], more: { index: 9 } })],
  ['a prompt with marks in it', row(), row({ prompt: '],"tools":[ ]},"agent_ref":{' })],
  ['a message with marks in it', row(), row({ input: { x: [1], tools: [2], y: [{ z: [] }], agent_ref: {} } })],
  ['a reset with marks in it', row({ more: { reset: { x: { y: [] }, agent_ref: {} } } }), row({ more: { reset: {} } })],
])('%s: the parts that differ say what the whole rows do', (_, before, after) => {
  const parts = new RowParts();
  for (const [one, other] of [
    [before, after],
    [after, before],
    [before, after],
  ] as const) {
    expect(parts.changes(one, other) ?? whole(one, other)).toEqual(whole(one, other));
  }
});

test('a row as it is usual is read by its parts', () => {
  expect(new RowParts().changes(row(), row({ prompt: 'x' }))).toHaveLength(1);
  expect(new RowParts().changes(row(), row().replace('"index":3', '"index":3.0'))).toBe(SPELT);
});

test.each([
  ['keys in another order', row().replace(/^\{(.*),"task_id":"d"\}$/, '{"task_id":"d",$1}')],
  ['another key of the request', row().replace('"tools":', '"temperature":1,"tools":').replace('A day', 'B')],
  ['broken JSON', row().replace('A day', '"A day')],
  ['half a row', '{"responses_create_params":{"input":[],"task_id":"d"}'],
])('one with %s is to be read as a whole', (name, text) => {
  const changes = new RowParts().changes(text, row());
  if (name === 'another key of the request') expect(changes ?? whole(text, row())).toEqual(whole(text, row()));
  else expect(changes).toBeUndefined();
});
