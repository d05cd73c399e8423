import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Running } from './processes.js';

/** A tool call. */
export type Call = { call: string; arguments: Record<string, unknown> };

/** The next move of a model: a tool call, or a message, which ends its turn. */
export type Move = Call | { say: string };

/** The input of the policy. */
export interface Conversation {
  /** The task's prompt: the last message of the user. */
  prompt: string;
  system: string | undefined;
  /** Names of the tools that it may call. */
  tools: string[];
  /** Its calls so far, in order. */
  calls: Call[];
  /** The outputs of its calls. */
  answers: string[];
}

export type Policy = (conversation: Conversation) => Move | Promise<Move>;

export interface ModelServer extends Running {
  /** The base URL, as --model-url takes it. */
  url: string;
  /** Number of requests to the policy. */
  calls: number;
}

/** An OpenAI-compatible server with the routes that NeMo Gym needs. Its model plays a fixed policy. */
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
      return answer(200, responseOf(await policy(conversationIn(await bodyOf(request))), model.calls));
    } catch (error) {
      return answer(400, { error: { message: `the policy failed: ${error}` } }); // after a 5xx, Gym would retry for ever
    }
  });
  server.keepAliveTimeout = 60_000; // otherwise, a pooled connection may close during a request
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
}

async function bodyOf(request: IncomingMessage): Promise<{ input: Item[]; tools?: { name: string }[] }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function conversationIn({ input, tools = [] }: Awaited<ReturnType<typeof bodyOf>>): Conversation {
  const text = ({ content }: Item) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  const said = (role: string) => input.filter((item) => item.role === role).map(text);
  return {
    prompt: said('user').at(-1) ?? '',
    system: said('system').at(-1),
    tools: tools.map(({ name }) => name),
    calls: input
      .filter(({ type }) => type === 'function_call')
      .map(({ name, arguments: args }) => ({ call: String(name), arguments: JSON.parse(String(args)) })),
    answers: input.filter(({ type }) => type === 'function_call_output').map(({ output }) => String(output)),
  };
}

function responseOf(move: Move, number: number): object {
  const output =
    'call' in move
      ? { type: 'function_call', call_id: `call_${number}`, name: move.call, arguments: JSON.stringify(move.arguments) }
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
