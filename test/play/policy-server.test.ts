import { expect, onTestFinished, test } from 'vitest';
import { type Conversation, type Policy, scripted } from '../../src/play/policy.js';
import { modelServer } from '../../src/play/policy-server.js';
import { refuseWarnings } from '../support/leaks.js';

refuseWarnings();

async function served(policy: Policy) {
  const server = await modelServer(policy);
  onTestFinished(() => server.stop());
  const ask = async (input: unknown, path = '/responses') => {
    const body = JSON.stringify({ model: 'policy', input, tools: [{ type: 'function', name: 'pay' }] });
    const response = await fetch(server.url + path, { method: 'POST', body });
    // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
    return { status: response.status, body: (await response.json()) as any };
  };
  return { server, ask };
}

const user = (content: unknown) => ({ role: 'user', content });

test('a policy sees the conversation, and its moves become items', async () => {
  const seen: Conversation[] = [];
  const { ask, server } = await served((conversation) => {
    seen.push(conversation);
    return { call: 'pay', arguments: { to: 'me' }, label: 'x' };
  });
  const first = await ask([{ role: 'system', content: 'S' }, user([{ type: 'input_text', text: 'Pay' }])]);
  const [item] = first.body.output;
  expect(item).toMatchObject({ type: 'function_call', name: 'pay', arguments: '{"to":"me"}' });
  const output = { type: 'function_call_output', call_id: item.call_id, output: 'paid' };
  await ask([user('Pay'), item, output]);
  expect(seen).toEqual([
    { prompt: 'Pay', system: 'S', tools: ['pay'], calls: [], answers: [], label: undefined },
    {
      prompt: 'Pay',
      system: undefined,
      tools: ['pay'],
      calls: [{ call: 'pay', arguments: { to: 'me' } }],
      answers: ['paid'],
      label: 'x',
    },
  ]);
  expect(server.calls).toBe(2);
});

test('calls that a row has as examples do not count as steps', async () => {
  const { ask } = await served(scripted([{ steps: [{ call: 'pay', arguments: {} }] }]));
  const example = { type: 'function_call', call_id: 'fc_1', name: 'pay', arguments: '{}' };
  const { body } = await ask([user('Pay'), example]);
  expect(body.output[0].type).toBe('function_call');
});

test('a prompt may be a text, and an answer a message', async () => {
  const { ask } = await served(({ prompt }) => ({ say: `You said ${prompt}` }));
  const { body } = await ask('hello');
  expect(body.output[0].content[0].text).toBe('You said hello');
});

test('a failing policy and an unknown route are answered with a status that Gym does not repeat', async () => {
  const { ask } = await served(() => {
    throw new Error('no idea');
  });
  expect(await ask('x')).toEqual({ status: 400, body: { error: { message: 'the policy failed: Error: no idea' } } });
  expect((await ask('x', '/chat/completions')).status).toBe(404);
});
