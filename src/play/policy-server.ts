import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '../limits.js';
import type { Conversation, Labelled, Policy } from './policy.js';

export interface ModelServer {
  /** The base URL, as `--model-url` takes it. */
  url: string;
  /** Number of requests that the policy has answered. */
  calls: number;
  stop(): Promise<void>;
}

/** An idle connection of Gym's pool must not close while Gym is sending a request on it. */
const KEEP_ALIVE_MS = 60_000;

/** Serves the part of the OpenAI Responses API that NeMo Gym's `openai_model` needs. A policy takes the place of a model. */
export async function modelServer(policy: Policy): Promise<ModelServer> {
  const model: ModelServer = { url: '', calls: 0, stop };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    try {
      if (request.url === '/v1/models')
        return answer(200, { object: 'list', data: [{ id: 'policy', object: 'model' }] });
      if (request.url !== '/v1/responses') return answer(404, { error: { message: `no ${request.url} here` } });
      model.calls += 1;
      const number = model.calls;
      return answer(200, responseOf(await policy(conversationIn(await bodyOf(request))), number));
    } catch (error) {
      return answer(400, { error: { message: `the policy failed: ${error}` } }); // Gym would send the request again after 5xx
    }
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return model;

  async function stop() {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

interface Item {
  type?: string;
  role?: string;
  content?: string | { text?: string }[];
  output?: string;
  name?: string;
  arguments?: string;
  call_id?: string;
}

interface Body {
  input: string | Item[];
  tools?: { name: string }[];
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LIMITS.lineBytes) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Starts the ids of calls by this server: a row may have calls of its own, as examples. */
const CALL_ID = /^call_\d+_(.*)$/;

/** @throws if the arguments of a call are not JSON */
export function conversationIn({ input, tools = [] }: Body): Conversation {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const text = ({ content }: Item) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  const said = (role: string) => items.filter((item) => item.role === role).map(text);
  const own = (type: string) => items.filter((item: Item) => item.type === type && CALL_ID.test(String(item.call_id)));
  const calls: Item[] = own('function_call');
  return {
    prompt: said('user').at(-1) ?? '',
    system: said('system').at(-1),
    tools: tools.map(({ name }) => name),
    calls: calls.map(({ name, arguments: args }) => ({ call: String(name), arguments: JSON.parse(String(args)) })),
    answers: own('function_call_output').map(({ output }: Item) => String(output)),
    label: CALL_ID.exec(String(calls[0]?.call_id))?.[1],
  };
}

function responseOf({ label = '', ...move }: Labelled, number: number): object {
  const output =
    'call' in move
      ? {
          type: 'function_call',
          call_id: `call_${number}_${label}`,
          name: move.call,
          arguments: JSON.stringify(move.arguments),
        }
      : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: move.say, annotations: [] }] };
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'policy',
    output: [{ id: `item_${number}`, status: 'completed', ...output }],
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
  };
}
