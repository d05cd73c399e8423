import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '../../src/limits.js';
import { parseServerUrl, RefusedError, ServerFull, Session } from '../../src/openenv/index.js';
import type { SessionOptions } from '../../src/openenv/session.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { observation, type Script, toolsFrame } from '../support/served-session.js';
import { StandIn, type StandInOptions } from '../support/stand-in.js';

refuseWarnings();

async function openAt(url: string, options: Partial<SessionOptions> = {}): Promise<Session> {
  const signal = options.signal ?? new AbortController().signal;
  const session = await Session.open(parseServerUrl(url), { headers: {}, ...options, signal });
  onTestFinished(() => session.close());
  return session;
}

async function opened(options: StandInOptions = {}, client: Partial<SessionOptions> = {}) {
  const server = await StandIn.start(options);
  return { server, session: await openAt(server.url, client) };
}

const reset = (session: Session, seconds = 5) => session.reset('{"split":"train","index":0}', seconds);

test('an episode is played over one socket', async () => {
  const { server, session } = await opened();
  expect((await reset(session)).metadata?.task).toEqual({
    id: '@local/srv/envs/grid-v1/day-0',
    split: 'train',
    index: 0,
  });
  expect((await session.listTools(5)).tools.map(({ name }) => name)).toEqual(['submit_schedule', 'end_turn']);
  expect(await session.callTool('end_turn', '{"response":"done"}', 5)).toMatchObject({ done: true, reward: 0 });
  await session.close();
  expect(server.sessions[0]?.received).toEqual([
    { type: 'reset', data: { split: 'train', index: 0 } },
    { type: 'step', data: { type: 'list_tools' } },
    { type: 'step', data: { type: 'call_tool', tool_name: 'end_turn', arguments: { response: 'done' } } },
    { type: 'close' },
  ]);
});

test('headers and credentials are sent with the handshake', async () => {
  const server = await StandIn.start();
  await openAt(`ws://u:p@${server.host}/ws`, { headers: { 'X-Key': 'k' } });
  expect(server.handshakes[0]).toMatchObject({ authorization: 'Basic dTpw', 'x-key': 'k' });
});

test('a notice that the server is full has its numbers', async () => {
  const { session } = await opened({ maxSessions: 1 });
  const { server: full } = await opened({ maxSessions: 0 });
  await reset(session);
  const refused = reset(await openAt(full.url));
  await expect(refused).rejects.toThrow(ServerFull);
  expect(await failureOf(refused)).toMatch(/full: 0 of its 0 sessions are in use\nat: ws:/);
});

test.each([
  ['true', 1],
  ['false', 0],
  ['2', 2],
  ['0.5', 0.5],
  ['null', null],
])('a reward may be %s, as openenv allows', async (reward, expected) => {
  const frame = `{"type":"observation","data":{"observation":{},"reward":${reward},"done":false}}`;
  const { session } = await opened(onReset(() => frame));
  expect((await reset(session)).reward).toBe(expected);
});

test.each(['"0.5"', '[1]', '1e999', '{}'])(
  'a reward of %s is refused, and the error names the field',
  async (reward) => {
    const frame = `{"type":"observation","data":{"observation":{},"reward":${reward},"done":false}}`;
    const { session } = await opened(onReset(() => frame));
    expect(await failureOf(reset(session))).toMatch(/not an OpenEnv frame/);
  },
);

test('an invalid action is refused with its fields and the reasons', async () => {
  const errors = [
    { type: 'int_parsing', loc: ['n'], msg: 'Input should be a valid integer', input: 'hello' },
    { type: 'missing', loc: ['pts', 0, 'x'], msg: 'Field required' },
    'not an issue',
    { loc: 5, msg: 'Odd place' },
    { loc: ['z'], msg: 'One more' },
  ];
  const error = { type: 'error', data: { code: 'VALIDATION_ERROR', message: 'Invalid message', errors } };
  const { session } = await opened({ ws: () => error });
  const told = await failureOf(session.step('{"n":"hello"}', 5));
  expect(told).toContain(
    'VALIDATION_ERROR: Invalid message; n: Input should be a valid integer; pts.0.x: Field required; Odd place; and 1 more',
  );
});

test.each([{ code: null, message: null }, { code: 7, message: {}, errors: 'x' }, {}])(
  'an incomplete error frame %j is still a refusal',
  async (data) => {
    const { session } = await opened({ ws: () => ({ type: 'error', data }) });
    await expect(reset(session)).rejects.toThrow(RefusedError);
  },
);

describe('an unexpected frame', () => {
  const twice = (later = 0) =>
    onReset((session) => {
      const answer = observation({ tools: [] });
      session.send(answer);
      if (later === 0) session.send(answer);
      else setTimeout(() => session.send(answer), later);
      return null;
    });

  test('is never taken for the next response', async () => {
    const { session, server } = await opened(twice());
    await reset(session);
    expect(await failureOf(session.listTools(5))).toMatch(/the server answered the reset twice: .*tools/);
    expect(server.sessions[0]?.received.map(({ type }) => type)).toEqual(['reset']);
    expect(() => session.assertInOrder()).toThrow('answered the reset twice');
  });

  test('is reported at the end if it arrives late', async () => {
    const { session } = await opened(twice(20));
    await reset(session);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await session.close();
    expect(() => session.assertInOrder()).toThrow('answered the reset twice');
  });

  test('is refused before the first request, unless it is a notice from the server', async () => {
    const { server, session } = await opened();
    server.sessions[0]?.send(observation({ board: 'x' }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await failureOf(reset(session))).toMatch(/sent an unexpected frame/);
    const { server: other, session: failing } = await opened();
    other.sessions[0]?.send({ type: 'error', data: { code: 'FACTORY_ERROR', message: 'no model' } });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await failureOf(reset(failing))).toMatch(/^FACTORY_ERROR: no model/);
  });

  test('says that the server is full only before the reset is answered', async () => {
    const full = { type: 'error', data: { code: 'CAPACITY_REACHED', message: 'full', max_sessions: 1 } };
    const { session } = await opened({ ws: ({ type }) => (type === 'step' ? full : undefined) });
    await reset(session);
    await expect(session.listTools(5)).rejects.not.toThrow(ServerFull);
  });
});

test('NaN in a frame is named, with its place', async () => {
  const tools = toolsFrame(['{"name":"act","input_schema":{"properties":{"speed":{"default":NaN}}}}']);
  const { session } = await opened({ ws: ({ data }) => (data.type === 'list_tools' ? tools : undefined) });
  await reset(session);
  expect(await failureOf(session.listTools(5))).toMatch(
    /not an OpenEnv frame: NaN is not valid JSON: .*"speed":\{"default":NaN/,
  );
});

test('a refused request leaves the session usable', async () => {
  const error = { type: 'error', data: { code: 'EXECUTION_ERROR', message: 'no\nsuch \x1b[1mindex' } };
  const { session } = await opened({ ws: ({ data }) => (data.index === 7 ? error : undefined) });
  const refused = session.reset('{"split":"train","index":7}', 5);
  await expect(refused).rejects.toThrow(RefusedError);
  expect(await failureOf(refused)).toMatch(/^EXECUTION_ERROR: no such \[1mindex/);
  expect((await reset(session)).done).toBe(false);
});

/** Answers each reset with this. */
const onReset = (answer: (session: Parameters<Script>[1]) => unknown): StandInOptions => ({
  ws: ({ type }, session) => (type === 'reset' ? answer(session) : undefined),
});

describe('an invalid response ends the session, with the URL and the start of the response:', () => {
  test.each<[string, StandInOptions, RegExp]>([
    ['text that is not JSON', onReset(() => 'Hello\x07 there'), /not an OpenEnv frame: Hello there/],
    ['truncated JSON', onReset(() => '{"type":"observation","da'), /not an OpenEnv frame: \{"type":"observation","da/],
    [
      'NaN',
      onReset(() => '{"type":"observation","data":{"observation":{},"reward":NaN}}'),
      /not an OpenEnv frame: NaN/,
    ],
    ['an array', onReset(() => '[]'), /not an OpenEnv frame: \[\]/],
    ['another type', onReset(() => '{"type":"pong","data":{}}'), /not an OpenEnv frame: \{"type":"pong"/],
    ['a state', onReset(() => '{"type":"state","data":{}}'), /an unexpected state frame/],
    ['a reward that is not a number', onReset(() => observation({}, { reward: '1' })), /not an OpenEnv frame/],
    ['a binary frame', onReset(({ socket }) => socket.send(Buffer.from('{}')) ?? null), /binary frame/],
    [
      'a close with a reason',
      onReset(({ socket }) => socket.close(1011, 'Internal\nerror') ?? null),
      /closed the session \(1011: Internal error/,
    ],
    ['a broken connection', onReset(({ socket }) => socket.terminate() ?? null), /closed the session \(1006/],
    ['silence', onReset(() => null), /no response within 0.2 s/],
    [
      'bytes that are not UTF-8',
      onReset(({ socket }) => socket.send(Buffer.from([0x7b, 0xff]), { binary: false }) ?? null),
      /violated the WebSocket protocol: .*invalid UTF-8/,
    ],
    [
      'a huge frame',
      onReset(() => observation({ text: 'x'.repeat(20_000) })),
      /too large: the limit is 10,000 bytes \(responseBytes\)/,
    ],
    [
      'a frame of too many values',
      onReset(() => `{"type":"observation","data":{"observation":{${'"a":0,'.repeat(LIMITS.jsonValues / 2)}"a":0}}}`),
      /too many JSON values: the limit is 1,000,000 \(jsonValues\)/,
    ],
    [
      'bytes that are not a WebSocket frame',
      onReset(({ socket }) => rawSocket(socket).write('no frame at all') ?? null),
      /violated the WebSocket protocol/,
    ],
  ])('%s', async (name, options, told) => {
    const maxFrame = name === 'a huge frame' ? 10_000 : undefined;
    const { server, session } = await opened(options, maxFrame ? { maxFrame } : {});
    const failure = await failureOf(reset(session, name === 'silence' ? 0.2 : 5));
    expect(failure).toMatch(told);
    expect(failure).toContain(`ws://${server.host}/ws`);
  });

  const rawSocket = (socket: object) => (socket as { _socket: { write(text: string): void } })._socket;

  test('a lost session stays lost', async () => {
    const { session } = await opened(onReset(({ socket }) => socket.close(1012) ?? null));
    await failureOf(reset(session));
    expect(await failureOf(session.listTools(5))).toMatch(/closed the session \(1012/);
  });

  test('a late response is never taken for the response to the next request', async () => {
    let answerLate = () => {};
    const { session } = await opened(
      onReset((served) => {
        answerLate = () => served.send(observation({ late: true }));
        return null;
      }),
    );
    expect(await failureOf(reset(session, 0.05))).toMatch(/no response within 0.05 s/);
    answerLate();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await failureOf(session.listTools(5))).toMatch(/no response within 0.05 s/);
  });
});

test('endless unexpected frames end the session', async () => {
  const { server, session } = await opened({
    ws: (_, { socket }) => {
      const more = () =>
        void (socket.readyState === 1 && socket.send('{"type":"state","data":{}}', () => setImmediate(more)));
      more();
      return null;
    },
  });
  expect(await failureOf(reset(session))).toMatch(/unexpected state frame/);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await failureOf(session.listTools(5))).toMatch(/answered the reset twice/);
  await session.close();
  await server.idle();
});

test('a limit beyond the range of a timer means no limit', async () => {
  const { session } = await opened();
  expect((await reset(session, 1e7)).done).toBe(false);
});

describe('a WebSocket that does not open:', () => {
  test.each<[string, number, Record<string, string>, RegExp]>([
    ['a token is missing', 401, {}, /HTTP 401[\s\S]*--header 'Authorization/],
    ['a rejected handshake', 403, {}, /HTTP 403[\s\S]*check that it is an OpenEnv server/],
    ['no such route', 404, {}, /HTTP 404/],
    ['a redirect', 307, { Location: 'http://other/ws' }, /HTTP 307[\s\S]*redirects to: http:\/\/other\/ws/],
    ['an error', 500, {}, /HTTP 500[\s\S]*log/],
  ])('%s', async (_, status, headers, told) => {
    const server = await StandIn.start();
    server.refuseUpgrades(status, headers);
    expect(await failureOf(openAt(server.url))).toMatch(told);
  });

  test('connection refused', async () => {
    const gone = await StandIn.start();
    await gone.stop();
    expect(await failureOf(openAt(gone.url))).toMatch(/connection refused[\s\S]*at: WS ws:[\s\S]*curl http:/);
  });

  test('TLS fails', async () => {
    const server = await StandIn.start({ tls: SELF_SIGNED });
    expect(await failureOf(openAt(server.url))).toMatch(/TLS failed: self-signed/);
  });
});

describe('closing', () => {
  test('twice, or after the server has closed, does nothing', async () => {
    const { session } = await opened(onReset(({ socket }) => socket.close(1000) ?? null));
    await failureOf(reset(session));
    await session.close();
    await session.close();
  });

  test('ends the connection two seconds later if the server does not close it', async () => {
    const { server, session } = await opened({ mayLeak: true });
    const [served] = server.sessions;
    (served as unknown as { socket: { close: () => void; _socket: { pause(): void } } }).socket._socket.pause();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const order: string[] = [];
    const closing = session.close().then(() => order.push('closed'));
    await vi.advanceTimersByTimeAsync(1900);
    order.push('1.9 s');
    await vi.advanceTimersByTimeAsync(200);
    await closing;
    expect(order).toEqual(['1.9 s', 'closed']);
  });
});

describe('an abort', () => {
  const REASON = new Error('stopped');

  test('in a request ends it with its reason, and the session can be closed', async () => {
    const stop = new AbortController();
    const { server, session } = await opened(
      onReset(() => stop.abort(REASON) ?? null),
      { signal: stop.signal },
    );
    await expect(reset(session)).rejects.toBe(REASON);
    await expect(session.listTools(5)).rejects.toBe(REASON);
    await session.close();
    await server.idle();
  });

  test('while a session opens ends the opening', async () => {
    const server = await StandIn.start();
    const stop = new AbortController();
    const opening = openAt(server.url, { signal: stop.signal });
    stop.abort(REASON);
    await expect(opening).rejects.toBe(REASON);
    await expect(openAt(server.url, { signal: stop.signal })).rejects.toBe(REASON);
  });
});

describe('tools', () => {
  const listed = async (...tools: (string | object)[]) => {
    const { session } = await opened({
      ws: ({ data }) => (data?.type === 'list_tools' ? toolsFrame(tools) : undefined),
    });
    return (await session.listTools(5)).tools;
  };

  test('a description that is null or missing is ""', async () => {
    expect(await listed({ name: 'a', description: null, input_schema: {} }, { name: 'b' })).toEqual([
      { name: 'a', description: '', parameters: '{}' },
      { name: 'b', description: '', parameters: '{"type":"object","properties":{}}' },
    ]);
  });

  test('an empty list is a list', async () => {
    expect(await listed()).toEqual([]);
  });

  test.each([
    '{"type":["string","null"],"properties":null}',
    '{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}],"$defs":{"A":{"_x":{"enum":["a",1,null,true]}}}}',
    '{"maximum":9223372036854775807,"minimum":-9223372036854775808,"default":1.0,"x":1e400,"y":-0.0,"z":1E+2}',
    '{"properties":{"b":{},"a":{},"10":{},"9":{}},"required":["b"]}',
    '{"__proto__":{"type":"string"},"constructor":{},"toString":1}',
    '{"a":"\\u00e9\\n\\"}]{[","\\"}":"\\\\"}',
    '{"a":"é \u2028 😀 \\ud800"}',
    '{ "a" : [ 1 , 2 ],\t"b" : { } }',
    '{"a":1,"a":1}',
  ])('a schema keeps its spelling: %s', async (schema) => {
    const [tool, last] = await listed(`{"name":"n","description":"d","input_schema":${schema}}`, { name: 'last' });
    expect(tool?.parameters).toBe(schema);
    expect(last?.name).toBe('last');
  });

  test('a schema may be nested up to the limit', async () => {
    const schema = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const tool = (depth: number) => `{"name":"n","input_schema":${schema(depth)}}`;
    const within = LIMITS.jsonDepth - 5;
    expect((await listed(tool(within)))[0]?.parameters).toBe(schema(within));
    for (const depth of [within + 1, 100_000]) expect(await failureOf(listed(tool(depth)))).toMatch(/\(jsonDepth\)/);
  });

  test.each<[string, string | object, RegExp]>([
    ['a name that is not a string', { name: 3 }, /cannot read the server's list of tools: 0.name: .*string/],
    ['no name', {}, /cannot read the server's list of tools: 0.name/],
    [
      'a schema that is a list',
      { name: 'a', input_schema: [] },
      /cannot read the server's list of tools: 0.input_schema/,
    ],
    [
      'a schema that is a number',
      '{"name":"a","input_schema":1.0}',
      /cannot read the server's list of tools: 0.input_schema/,
    ],
    ['a tool that is not an object', 'null', /cannot read the server's list of tools: 0/],
  ])('%s is reported', async (_, tool, told) => {
    expect(await failureOf(listed(tool))).toMatch(told);
  });

  test.each(['{"metadata":{}}', '{"tools":null}', '{"tools":{"a":1}}'])(
    'a missing list is reported: %s',
    async (observed) => {
      const frame = `{"type":"observation","data":{"observation":${observed}}}`;
      const { session } = await opened({ ws: ({ data }) => (data?.type === 'list_tools' ? frame : undefined) });
      expect(await failureOf(session.listTools(5))).toMatch(/cannot read the server's list of tools/);
    },
  );
});

test('a handshake is aborted at its time limit, even if bytes keep arriving', async () => {
  const server = createServer((socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nX: ');
    const more = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(more)).on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const opening = openAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { handshakeTimeout: 0.3 });
  expect(await failureOf(opening)).toMatch(/took too long: the limit is 0.3 s \(handshakeSeconds\)/);
});
