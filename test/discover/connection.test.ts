import { expect, test } from 'vitest';
import { dockerFix } from '../../src/discover/connection.js';
import { openSource } from '../../src/operations/open-source.js';
import { discoverAll, discoverOptions, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { failureFrom } from '../support/found.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { failed } from '../support/served-session.js';
import { day } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

test('each request and each reset and step are reported, with their times', async () => {
  const server = await StandIn.start({ splits: { train: [day(0, { toolset: 'a' })] } });
  const said = new Said();
  await discoverAll(server.url, { turns: 'first' }, said);
  const socket = `WS ${server.url.replace('http', 'ws')}/ws`;
  const names = said.requests.map(({ request }) => request);
  expect(names).toEqual(expect.arrayContaining([`GET ${server.url}/health`, `${socket} reset`, `${socket} step`]));
  expect(names.filter((name) => !name.startsWith('WS'))).toHaveLength(server.asked.length);
  for (const { request, status, bytes, milliseconds } of said.requests) {
    if (!request.startsWith('WS')) expect(status).toBeGreaterThanOrEqual(200);
    expect(bytes).toBeGreaterThan(0);
    expect(milliseconds).toBeGreaterThan(0);
  }
});

test('a request without a response is reported, too', async () => {
  const server = await StandIn.start({ http: () => (response) => response.socket?.resetAndDestroy() });
  const said = new Said();
  await failureOf(discoverAll(server.url, {}, said));
  const time = expect.any(Number);
  expect(said.requests).toContainEqual({ request: `GET ${server.url}/health`, milliseconds: time });
});

test('what a run does is reported in order', async () => {
  const splits = { train: [day(0, { toolset: 'a' }), day(1, { toolset: 'b' })] };
  const server = await StandIn.start({ splits });
  const said = new Said();
  await discoverAll(server.url, { maxSessions: 1 }, said);
  const texts = said.progressed.map((event) => {
    if (event.phase === 'probe')
      return `probed ${event.done} of ${event.total}, ${event.tasks.done}/${event.tasks.total}`;
    return event.phase === 'read' ? `read ${event.done} of ${event.total}` : event.phase;
  });
  expect(texts.filter((text, at) => text !== texts[at - 1])).toEqual([
    'connect',
    'read 0 of 2',
    'probed 0 of 2, 0/2',
    'probed 0 of 2, 1/2',
    'probed 1 of 2, 1/2',
    'probed 1 of 2, 2/2',
    'read 2 of 2',
  ]);
});

test('http:// to a TLS port suggests https://', async () => {
  const server = await StandIn.start({ tls: SELF_SIGNED });
  expect(await failureOf(discoverAll(`http://${server.host}`))).toMatch(
    new RegExp(`the server speaks TLS, not plain HTTP[\\s\\S]*fix: use https://${server.host}$`),
  );
});

test('a server that resets connections is unreachable', async () => {
  const server = await StandIn.start({ http: () => (response) => response.socket?.resetAndDestroy() });
  expect(await failureOf(discoverAll(server.url))).toMatch(/the connection failed[\s\S]*curl/);
});

test('a response that requires HTTPS suggests https://', async () => {
  const server = await StandIn.start({
    http: () => ({ status: 400, body: '<h1>400</h1>The plain HTTP request was sent to HTTPS port' }),
  });
  expect(await failureOf(discoverAll(server.url))).toMatch(/fix: use https:/);
});

test('a --config-url that this machine does not know suggests --source', async () => {
  const url = 'http://env.invalid:8000';
  const request = { source: url, configUrl: url, discover: discoverOptions() };
  expect(await failureOf(openSource(request, new Said(), new AbortController().signal))).toMatch(
    /unknown host name[\s\S]*fix: pass a URL that this machine can reach: --source URL/,
  );
});

test('an empty split name is reported', async () => {
  const server = await StandIn.start({ splits: { '': [] } });
  expect(await failureOf(discoverAll(server.url))).toMatch(/a split has an empty name/);
});

test.each([
  'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  "FileNotFoundError: [Errno 2] No such file or directory: 'docker'",
  "Error while fetching server API version: ('Connection aborted.', FileNotFoundError(2, 'No such file'))",
  'sh: 1: docker: not found',
  'Docker not ready on this machine: exit code 1',
  'this environment needs Docker',
])('the fix for %j is to start Docker', (said) => {
  expect(dockerFix(['train[0]: no reset', said])).toBe('start Docker, and run gymgen again');
});

test.each(['docker build failed: no such file app.py', 'the reset failed: dock not found'])(
  'the fix for %j is not to start Docker',
  (said) => {
    expect(dockerFix([said])).toBeUndefined();
  },
);

test('failed probes that need Docker suggest to start it', async () => {
  const { failure } = await failureFrom({ ws: () => failed('Cannot connect to the Docker daemon') });
  expect(failure).toMatch(/could not probe[\s\S]*fix: start Docker, and run gymgen again/);
});
