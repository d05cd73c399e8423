import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Conversation, Move, Policy } from '../../../src/play/index.js';
import type { Running } from '../../e2e/support/processes.js';

interface Message {
  role: string;
  content?: string | { text?: string }[] | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

interface Asked {
  messages?: Message[];
  tools?: { function: { name: string; parameters: unknown } }[];
  logprobs?: boolean;
}

export interface Vllm extends Running {
  /** The base URL of its API. */
  url: string;
  /** The parameters of the tools of each request, as JSON. */
  tools: string[];
}

const END = '<|end|>';

/**
 * A server that answers chat completions as vLLM does, with token ids and log probabilities, and whose model plays a policy. A
 * token is a byte of the conversation, so the prompt of a turn begins with all tokens before.
 */
export async function vllm(policy: Policy): Promise<Vllm> {
  const model: Vllm = { url: '', tools: [], stop };
  const server = createServer(async (request, response) => {
    const answer = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const path = request.url ?? '';
    if (path.endsWith('/models')) return answer({ object: 'list', data: [{ id: 'policy', object: 'model' }] });
    const asked = await bodyOf(request);
    const prompt = render(asked);
    if (path.endsWith('/tokenize')) return answer({ tokens: prompt, count: prompt.length, max_model_len: 100_000 });
    model.tools.push(JSON.stringify((asked.tools ?? []).map((tool) => tool.function.parameters)));
    const message = messageOf(await policy(conversationIn(asked)));
    return answer(completion(message, asked.logprobs === true, prompt.length));
  });
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return model;

  async function stop() {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

async function bodyOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('');
}

function replyText(message: Message): string {
  const calls = (message.tool_calls ?? []).map((call) => JSON.stringify([call.function.name, call.function.arguments]));
  return `${textOf(message)}${calls.join('')}${END}`;
}

function render({ messages = [], tools = [] }: Asked): number[] {
  const parts = messages.map((message) =>
    message.role === 'assistant' ? `<assistant>${replyText(message)}` : `<${message.role}>${textOf(message)}${END}`,
  );
  return [...Buffer.from(`${JSON.stringify(tools)}${parts.join('')}<assistant>`)];
}

function conversationIn({ messages = [], tools = [] }: Asked): Conversation {
  const said = (role: string) => messages.filter((message) => message.role === role).map(textOf);
  return {
    prompt: said('user').at(-1) ?? '',
    system: said('system').at(-1),
    tools: tools.map((tool) => tool.function.name),
    calls: messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => ({ call: call.function.name, arguments: JSON.parse(call.function.arguments) })),
    ),
    answers: said('tool'),
  };
}

let calls = 0;

function messageOf(move: Move): Message {
  if (!('call' in move)) return { role: 'assistant', content: move.say };
  calls += 1;
  const call = { name: move.call, arguments: JSON.stringify(move.arguments) };
  const all = [{ id: `call_${calls}`, type: 'function', function: call }];
  return { role: 'assistant', content: null, tool_calls: all };
}

function completion(message: Message, withTokens: boolean, promptTokens: number): object {
  const tokens = [...Buffer.from(replyText(message))];
  const content = tokens.map((id) => ({ token: `token_id:${id}`, logprob: -0.5, bytes: null, top_logprobs: [] }));
  const usage = { prompt_tokens: promptTokens, completion_tokens: tokens.length };
  return {
    id: 'completion',
    object: 'chat.completion',
    created: 0,
    model: 'policy',
    choices: [
      {
        index: 0,
        message,
        finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
        logprobs: withTokens ? { content } : null,
      },
    ],
    usage: { ...usage, total_tokens: promptTokens + tokens.length },
  };
}
