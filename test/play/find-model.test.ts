import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findModel, type NamedModel } from '../../src/play/find-model.js';
import { failureOf } from '../support/failure-of.js';

interface Fake {
  models?: object[];
  /** Status of `POST /v1/responses`. */
  responses?: number;
  key?: string;
}

async function fake({ models = [], responses = 404, key }: Fake): Promise<string> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const sent = request.headers.authorization;
    if (key !== undefined && sent !== `Bearer ${key}`) return answer(401, { error: `wrong key: ${sent}` });
    if (request.url === '/v1/models') return answer(200, { object: 'list', data: models });
    if (request.url === '/v1/responses') return answer(responses, {});
    return answer(404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const find = (named: NamedModel) => findModel(named, new AbortController().signal);
const QWEN = { id: 'Qwen/Qwen3-4B', owned_by: 'vllm' };
const GPT = { id: 'gpt-5', owned_by: 'system' };

test.each([
  ['vLLM, also if it has the Responses API', { models: [QWEN], responses: 400 }, 'vllm_model'],
  ['a server without the Responses API', { models: [GPT], responses: 404 }, 'vllm_model'],
  ['a server that refuses an empty request', { models: [GPT], responses: 400 }, 'openai_model'],
] as const)('the type is found by asking: %s', async (_, server, type) => {
  const url = await fake({ ...server, models: [...server.models] });
  expect(await find({ url: `${url}/` })).toEqual({ url, model: server.models[0].id, type });
});

test('a type and a model that were passed are used', async () => {
  const url = await fake({ models: [GPT] });
  expect(await find({ url, model: 'other', type: 'openai_model' })).toMatchObject({
    model: 'other',
    type: 'openai_model',
  });
});

test('a model that vLLM does not serve is refused', async () => {
  const url = await fake({ models: [QWEN] });
  expect(await failureOf(find({ url, model: 'Qwen/Qwen3-4b' }))).toBe(
    `the model server does not serve "Qwen/Qwen3-4b"\n${QWEN.id}\nat: ${url}\nfix: pass --model ${QWEN.id}`,
  );
});

test('without a name, the server must have one model', async () => {
  const url = await fake({ models: [QWEN, GPT] });
  expect(await failureOf(find({ url }))).toContain('fix: name one: --model NAME');
});

test('a URL without the path of the API gets a fix', async () => {
  const url = (await fake({})).replace('/v1', '');
  expect(await failureOf(find({ url }))).toContain(`fix: add the path of the API: --model-url ${url}/v1`);
});

test('a server that does not run is reported', async () => {
  expect(await failureOf(find({ url: 'http://127.0.0.1:9/v1' }))).toContain('fix: start the model server');
});

test('the key comes from a variable, and no message has it', async () => {
  vi.stubEnv('MY_KEY', 'sk-secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await find({ url: await fake({ models: [GPT], key: 'sk-secret' }), keyEnv: 'MY_KEY' })).toMatchObject({
    keyEnv: 'MY_KEY',
  });
  const refused = await failureOf(find({ url: await fake({ key: 'another' }), keyEnv: 'MY_KEY' }));
  expect(refused).toContain('fix: pass a valid key: MY_KEY');
  expect(refused).not.toContain('sk-secret');
});

test.each([
  ['sk-secret-key', 'takes a variable name'],
  ['NOT_SET_ANYWHERE', 'NOT_SET_ANYWHERE is not set'],
])('a key, or an unset variable, is refused: %s', async (keyEnv, problem) => {
  expect(await failureOf(find({ url: 'http://127.0.0.1:9/v1', keyEnv }))).toContain(problem);
});

test('a password in the URL is refused', async () => {
  const failure = await failureOf(find({ url: 'http://me:secret@127.0.0.1:9/v1' }));
  expect(failure).toContain('--model-api-key-env');
  expect(failure).not.toContain('secret');
});
