import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpClient, parseServerUrl } from '../../src/openenv/index.js';
import { busyOf } from '../../src/openenv/retry-after.js';
import { discoverAll, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { type Answer, StandIn } from '../support/stand-in.js';

/** Answers the first two requests of a path with a status and a Retry-After. */
function busyAt(end: string, status: number, retryAfter?: string) {
  let asked = 0;
  return ({ path }: { path: string }): Answer | undefined => {
    if (!path.endsWith(end) || asked++ >= 2) return undefined;
    return { status, body: { detail: 'busy' }, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } };
  };
}

describe('a busy server', () => {
  test.each([
    ['/health', 429],
    ['/health', 503],
    ['/task_range', 429],
  ])('at %s with HTTP %i is asked again after Retry-After', async (end, status) => {
    const server = await StandIn.start({ http: busyAt(end, status, '0') });
    const said = new Said();
    expect((await discoverAll(server.url, {}, said)).tasks).toHaveLength(3);
    expect(said.progressed).toContainEqual({
      phase: 'wait',
      reason: `the server is busy (HTTP ${status})`,
      seconds: 0.25,
    });
  });

  test('is waited for during the handshake', async () => {
    const server = await StandIn.start({ busyHandshakes: 2 });
    const said = new Said();
    expect((await discoverAll(server.url, { maxSessions: 1 }, said)).tasks).toHaveLength(3);
    expect(said.progressed).toContainEqual({ phase: 'wait', reason: 'the server is busy (HTTP 503)', seconds: 0.25 });
  });

  test('that asks for a long wait is refused, with the seconds', async () => {
    const server = await StandIn.start({ http: busyAt('/health', 429, '3600') });
    expect(await failureOf(discoverAll(server.url))).toMatch(
      /asks to wait 3600 s \(HTTP 429\), more than gymgen waits[\s\S]*run gymgen again in 3600 s/,
    );
  });

  test('that asks for a long wait in the handshake is refused, too', async () => {
    const server = await StandIn.start();
    server.refuseUpgrades(503, { 'Retry-After': '900' });
    expect(await failureOf(discoverAll(server.url))).toMatch(/asks to wait 900 s \(HTTP 503\)/);
  });

  test('without Retry-After fails at once', async () => {
    const server = await StandIn.start({ http: busyAt('/health', 503) });
    expect(await failureOf(discoverAll(server.url))).toMatch(/the server answered HTTP 503/);
  });

  test('is not waited for after an interruption', async () => {
    const server = await StandIn.start({ http: busyAt('/health', 429, '100') });
    const stop = new AbortController();
    const client = new HttpClient(parseServerUrl(server.url), {
      headers: {},
      signal: stop.signal,
      waiting: () => stop.abort(new Error('stopped')),
    });
    onTestFinished(() => client.close());
    await expect(client.json('GET', '/health')).rejects.toThrow('stopped');
  });
});

test('Retry-After is seconds or a date', () => {
  const seconds = (header: string) => busyOf(429, header, 'x')?.seconds ?? null;
  expect([seconds('7'), seconds(' 0 '), seconds('soon'), seconds('-1')]).toEqual([7, 0.25, null, null]);
  expect(seconds(new Date(Date.now() + 9500).toUTCString())).toBeGreaterThan(7);
  expect(seconds('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0.25);
  expect(busyOf(500, '7', 'x')).toBeNull();
});
