// node static-server.mjs '{"splits":{"train":1000},"bytes":2400,…}': an OpenEnv server that takes almost no time, so
// that a benchmark measures its client. Prints its URL as JSON, and ends when its stdin closes.

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { Pages } from './pages.mjs';

const { splits, bytes, toolsets = 0, sessions = 64, resetSeconds = 0 } = JSON.parse(process.argv[2]);
const ENV = 'bench-v1';
const pages = new Pages(bytes, toolsets);
/** Requests and bytes so far, without those of this route, and the longest response. */
const counts = { requests: 0, bytes: 0, longest: 0, sessions: 0 };

const TOOLS = [
  {
    name: 'submit_schedule',
    description: 'Submit the plan of the day: 24 integers, one an hour.',
    input_schema: { type: 'object', properties: { schedule: { type: 'array', items: { type: 'integer' } } } },
  },
];

function answer(route, body) {
  if (route === 'GET /health') return { status: 'healthy' };
  if (route === 'GET /list_environments') return [ENV];
  if (route === `GET /${ENV}/splits`) return Object.keys(splits).map((name) => ({ name, type: 'train' }));
  if (route === `POST /${ENV}/num_tasks`) return { num_tasks: splits[body.split] };
  if (route === 'GET /counts') return counts;
  return undefined;
}

const server = createServer(async (request, response) => {
  const route = `${request.method} ${request.url}`;
  const body = request.method === 'POST' ? JSON.parse(await text(request)) : undefined;
  const found =
    route === `POST /${ENV}/task_range`
      ? pages.page(body.start, Math.min(body.stop, splits[body.split]))
      : Buffer.from(JSON.stringify(answer(route, body) ?? { detail: 'Not Found' }));
  if (request.url !== '/counts') {
    counts.requests += 1;
    counts.bytes += found.length;
    counts.longest = Math.max(counts.longest, found.length);
  }
  const status = found.toString('latin1', 0, 11) === '{"detail":"' ? 404 : 200;
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': found.length });
  response.end(found);
});

let open = 0;
const sockets = new WebSocketServer({ server, path: '/ws' });
sockets.on('connection', (socket) => {
  const send = (frame) => socket.send(JSON.stringify(frame));
  const observe = (observation, rest) =>
    send({ type: 'observation', data: { observation, reward: null, done: false, ...rest } });
  if (open >= sessions) {
    const data = { code: 'CAPACITY_REACHED', message: 'full', active_sessions: open, max_sessions: sessions };
    send({ type: 'error', data });
    socket.close(1000);
    return;
  }
  open += 1;
  counts.sessions += 1;
  socket.on('close', () => {
    open -= 1;
  });
  socket.on('message', (message) => {
    const { type, data } = JSON.parse(message);
    if (type === 'close') socket.close(1000);
    else if (type === 'reset') {
      const name = `task-${String(data.index).padStart(7, '0')}`;
      const metadata = { prompt: '', system_prompt: null, task: { id: name, name, ...data } };
      setTimeout(() => observe({ metadata }, { metadata }), resetSeconds * 1000);
    } else observe({ tools: TOOLS });
  });
});

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
process.stdin.on('end', () => process.exit()).resume();
