import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '../../src/limits.js';
import { HttpClient, type HttpOptions } from '../../src/openenv/http.js';
import { HttpStatusError, NotJsonError, parseServerUrl, Unreachable } from '../../src/openenv/index.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { type Answer, StandIn, type StandInOptions } from '../support/stand-in.js';

refuseWarnings();

const GIVEN = { split: 'train', text: 'é \u2028' };

function clientOf(url: string, options: Partial<HttpOptions> = {}): HttpClient {
  const client = new HttpClient(parseServerUrl(url), { headers: {}, signal: new AbortController().signal, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A server that sends the same response to every request, and its client. */
async function served(answer: Answer, options: Partial<HttpOptions> = {}, server: StandInOptions = {}) {
  const standIn = await StandIn.start({ http: () => answer, ...server });
  return { standIn, client: clientOf(standIn.url, options) };
}

describe('a response', () => {
  function inPieces(response: ServerResponse): void {
    for (const part of ['{"a"', ':1', '}']) response.write(part);
    response.end();
  }

  const packed = gzipSync('{"a":1}');
  test.each<[string, Answer]>([
    ['plain', { body: '{"a":1}' }],
    ['gzip, which was not asked for', { headers: { 'Content-Encoding': 'gzip' }, body: packed }],
    ['in pieces', inPieces],
    ['with status 201 and another type', { status: 201, headers: { 'Content-Type': 'text/plain' }, body: '{"a":1}' }],
  ])('%s is read', async (_, answer) => {
    const { client } = await served(answer);
    expect((await client.json('POST', '/x', GIVEN)).value).toEqual({ a: 1 });
  });

  test('is counted in decompressed bytes', async () => {
    const { client } = await served({ headers: { 'Content-Encoding': 'gzip' }, body: packed });
    expect(await client.json('GET', '/x')).toMatchObject({ value: { a: 1 }, bytes: 7 });
    await client.json('GET', '/x');
    expect([client.bytes, client.requests]).toEqual([14, 2]);
  });
});

test('a response in many tiny pieces takes little more memory than its bytes', async () => {
  const pieces = 300_000;
  const { client } = await served((response) => {
    response.writeHead(200);
    const socket = response.socket as NonNullable<typeof response.socket>;
    const piece = '1\r\n \r\n'; // of the chunked transfer encoding
    response.write('1');
    for (let at = 0; at < pieces; at += 10_000) setImmediate(() => socket.write(piece.repeat(10_000)));
    setTimeout(() => response.end(), 500);
  });
  const held: unknown[] = [];
  const concat = vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
    held.push(list.length);
    const all = Buffer.alloc(length ?? list.reduce((sum, { length: own }) => sum + own, 0));
    let at = 0;
    for (const each of list) at += (each as Buffer).copy(all, at);
    return all;
  });
  onTestFinished(() => concat.mockRestore());
  const answer = await client.ask('GET', '/x');
  expect(answer.data.length).toBe(pieces + 1);
  expect(Math.max(...(held as number[]))).toBeLessThan(3000);
});

describe('an invalid response is one error with the URL and the start of the response:', () => {
  test.each<[string, Answer, RegExp]>([
    [
      'HTML',
      { headers: { 'Content-Type': 'text/html' }, body: '<html>\n<b>Hi' },
      /not JSON \(text\/html\): <html> <b>Hi/,
    ],
    ['truncated JSON', { body: '{"tasks": [{"id"' }, /not JSON .*\{"tasks": \[\{"id"/],
    ['nothing', { body: '' }, /not JSON .*\(empty response\)/],
    ['NaN', { body: '{"a":NaN}' }, /not JSON .*NaN/],
    ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }, /not JSON/],
    ['invalid gzip', { headers: { 'Content-Encoding': 'gzip' }, body: '{"a":1}' }, /connection failed/],
    [
      'truncated gzip',
      { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('x'.repeat(9999)).subarray(0, 20) },
      /connection failed/,
    ],
    ['500', { status: 500, body: 'Internal Server Error' }, /answered HTTP 500: Internal Server Error/],
    ['404', { status: 404, body: { detail: 'Not Found' } }, /answered HTTP 404: \{"detail":"Not Found"\}/],
    ['401', { status: 401, body: '' }, /answered HTTP 401: \(empty response\)[\s\S]*--header 'Authorization/],
    ['a redirect without a Location', { status: 302, body: 'gone' }, /answered HTTP 302: gone/],
    ['a redirect to an invalid URL', { status: 302, headers: { Location: 'http://[' } }, /redirects to http:\/\/\[/],
    ['a connection that breaks in the middle', cut, /connection failed/],
    ['a connection that breaks at once', (response) => void response.destroy(), /connection failed/],
    [
      'a protocol other than HTTP',
      (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'),
      /connection failed/,
    ],
    ['control characters', { status: 500, body: '\x1b[31mred\x07\u009b1m' }, /answered HTTP 500: \[31mred 1m/],
  ])('%s', async (_, answer, told) => {
    const { client, standIn } = await served(answer);
    const failure = await failureOf(client.json('POST', '/grid/splits', GIVEN));
    expect(failure).toMatch(told);
    expect(failure).toContain(`at: POST ${standIn.url}/grid/splits`);
  });

  function cut(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('{"tasks":', () => response.destroy());
  }

  test('an error status and invalid JSON are different errors', async () => {
    const { client } = await served({ status: 404, body: '{}' });
    await expect(client.json('GET', '/')).rejects.toThrow(HttpStatusError);
    const { client: other } = await served({ body: '<html>' });
    await expect(other.json('GET', '/')).rejects.toThrow(NotJsonError);
  });
});

describe('an endless response', () => {
  test('is aborted at the limit of bytes', async () => {
    const { client } = await served(
      (response) => {
        const more = () => void (response.writable && response.write('[1,'.repeat(500), more));
        more();
      },
      { maxBytes: 10_000 },
    );
    expect(await failureOf(client.json('GET', '/x'))).toMatch(/too large: the limit is 10,000 bytes \(responseBytes\)/);
  });

  test('is aborted at the time limit, even if bytes keep arriving', async () => {
    const { client } = await served(
      (response) => {
        const more = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(more));
      },
      { responseTimeout: 0.3, idleTimeout: 60 },
    );
    expect(await failureOf(client.json('GET', '/x'))).toMatch(/took too long: the limit is 0.3 s \(responseSeconds\)/);
  });

  test.each([
    ['more values than the limit', `[${'[],'.repeat(LIMITS.jsonValues)}1]`, /too many JSON values: .*1,000,000/],
    ['deeper than the limit', '['.repeat(100_000) + ']'.repeat(100_000), /nested too deeply: the limit is 1,000/],
  ])('with %s is refused before it is parsed', async (_, body, told) => {
    const { client } = await served({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body) });
    const began = process.memoryUsage().heapUsed;
    expect(await failureOf(client.json('POST', '/x'))).toMatch(told);
    expect(process.memoryUsage().heapUsed - began).toBeLessThan(100 * 2 ** 20);
  });

  test('is aborted at the limit of decompressed bytes, too', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, ' '));
    const { client } = await served({ headers: { 'Content-Encoding': 'gzip' }, body: bomb }, { maxBytes: 10_000 });
    expect(await failureOf(client.json('GET', '/x'))).toMatch(/too large: the limit is 10,000 bytes \(responseBytes\)/);
  });

  test.each<[string, Answer]>([
    ['begins', () => {}],
    ['continues', (response) => void response.write('{"tasks":[')],
  ])('a response that never %s is aborted after the idle limit', async (_, answer) => {
    const { client, standIn } = await served(answer, { idleTimeout: 0.15 });
    const failure = await failureOf(client.json('GET', '/x'));
    expect(failure).toMatch(/no response within 0.15 s/);
    expect(failure).toContain(`at: GET ${standIn.url}/x`);
  });
});

describe('redirects', () => {
  test.each([301, 302, 307, 308])(
    'of %d to the same origin are followed with method, body and headers',
    async (status) => {
      const server = await StandIn.start({
        http: ({ path }) => (path === '/x' ? { status, headers: { Location: '/y/' } } : { body: [1] }),
      });
      const client = clientOf(server.url, { headers: { Authorization: 'secret' } });
      expect((await client.json('POST', '/x', GIVEN)).value).toEqual([1]);
      expect(server.asked[1]).toMatchObject({
        method: 'POST',
        path: '/y/',
        body: GIVEN,
        headers: { authorization: 'secret' },
      });
    },
  );

  test('to another origin are refused, and nothing is sent there', async () => {
    const other = await StandIn.start();
    const { client } = await served(
      { status: 307, headers: { Location: `${other.url}/health` } },
      { headers: { Authorization: 'secret' } },
    );
    expect(await failureOf(client.json('GET', '/health'))).toContain(`redirects to ${other.url}`);
    expect(other.asked).toEqual([]);
  });

  test('that form a loop are refused', async () => {
    const { client } = await served({ status: 302, headers: { Location: '/round' } });
    expect(await failureOf(client.json('GET', '/x'))).toMatch(/redirected more than 5 times/);
  });
});

test('the credentials of the URL and the headers are sent', async () => {
  const server = await StandIn.start();
  await clientOf(`http://u:p@${server.host}`, { headers: { 'X-Key': 'k' } }).json('GET', '/health');
  expect(server.asked[0]?.headers).toMatchObject({ authorization: 'Basic dTpw', 'x-key': 'k' });
});

test('a header of the command line overrides the credentials of the URL', async () => {
  const server = await StandIn.start();
  await clientOf(`http://u:p@${server.host}`, { headers: { authorization: 'mine' } }).json('GET', '/health');
  expect(server.asked[0]?.headers.authorization).toBe('mine');
});

test('a base path is in front of each route', async () => {
  const server = await StandIn.start({ base: '/envs/a' });
  await clientOf(`${server.url}/`).json('GET', '/health');
  expect(server.asked[0]?.path).toBe('/health');
});

test('an IPv6 server is reached', async () => {
  const server = await StandIn.start({ host: '::1' });
  expect((await clientOf(server.url).json('GET', '/health')).value).toEqual({ status: 'healthy' });
});

test('an idle connection that the server closed is not a failure', async () => {
  let answered = 0;
  const server = await StandIn.start({
    // Like a server whose keep-alive time ends at the moment of the next request.
    http: () => (answered++ === 1 ? (response) => void response.destroy() : undefined),
  });
  const client = clientOf(server.url);
  await client.json('GET', '/health');
  expect((await client.json('GET', '/health')).value).toEqual({ status: 'healthy' });
});

describe('an unreachable server:', () => {
  test('connection refused', async () => {
    const gone = await StandIn.start();
    await gone.stop();
    const asked = clientOf(gone.url).json('GET', '/health');
    await expect(asked).rejects.toThrow(Unreachable);
    expect(await failureOf(asked)).toMatch(
      /connection refused[\s\S]*at: GET http[\s\S]*curl http:\/\/127.0.0.1:\d+\/health/,
    );
  });

  test('an unknown host name', async () => {
    const failure = await failureOf(clientOf('http://no-such-host.invalid').json('GET', '/health'));
    expect(failure).toMatch(/unknown host name/);
  });
});

describe('TLS', () => {
  test('an untrusted certificate is refused, and the fix says how to trust it', async () => {
    const { client } = await served({ body: 1 }, {}, { tls: SELF_SIGNED });
    expect(await failureOf(client.json('GET', '/health'))).toMatch(/TLS failed: self-signed[\s\S]*NODE_EXTRA_CA_CERTS/);
  });

  test('https:// to a server without TLS suggests http://', async () => {
    const { standIn } = await served({ body: 1 });
    const failure = await failureOf(clientOf(`https://${standIn.host}`).json('GET', '/health'));
    expect(failure).toMatch(/TLS failed[\s\S]*use http:.* speaks plain HTTP/);
    expect(failure.split('\n')).toHaveLength(3);
  });

  test('http:// to a server with TLS fails', async () => {
    const { standIn } = await served({ body: 1 }, {}, { tls: SELF_SIGNED });
    expect(await failureOf(clientOf(`http://${standIn.host}`).json('GET', '/health'))).toMatch(/connection failed/);
  });
});

describe('an abort', () => {
  const REASON = new Error('stopped');
  test.each<[string, (response: ServerResponse) => void]>([
    ['before the response', () => {}],
    ['in the middle of it', (response) => void response.write('{"a":')],
  ])('%s ends the request with its reason', async (_, start) => {
    const stop = new AbortController();
    const { client } = await served(
      (response) => {
        start(response);
        setTimeout(() => stop.abort(REASON), 20);
      },
      { signal: stop.signal },
    );
    await expect(client.json('GET', '/x')).rejects.toBe(REASON);
  });

  test('before the request is made', async () => {
    const { client, standIn } = await served({ body: 1 }, { signal: AbortSignal.abort(REASON) });
    await expect(client.json('GET', '/x')).rejects.toBe(REASON);
    expect(standIn.asked).toEqual([]);
  });
});
