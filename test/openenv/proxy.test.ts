import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpClient, parseServerUrl, Session } from '../../src/openenv/index.js';
import { proxyFor } from '../../src/openenv/proxy.js';
import { failureOf } from '../support/failure-of.js';
import { proxyEnv, startProxy } from '../support/proxy.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { StandIn } from '../support/stand-in.js';

const signal = new AbortController().signal;

function client(url: string): HttpClient {
  const made = new HttpClient(parseServerUrl(url), { headers: {}, signal });
  onTestFinished(() => made.close());
  return made;
}

const health = (url: string) => client(url).json('GET', '/health');

async function playOnce(url: string): Promise<void> {
  const session = await Session.open(parseServerUrl(url), { headers: {}, signal });
  await session.reset('{"split":"train","index":0}', 5);
  await session.close();
}

describe('a server behind a proxy', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('is asked and played through %s', async (name) => {
    const server = await StandIn.start();
    const proxy = await startProxy(server.port);
    proxyEnv({ [name]: `http://user:p%40ss@127.0.0.1:${proxy.port}` });
    expect((await health('http://env.test')).value).toEqual({ status: 'healthy' });
    await playOnce('http://env.test');
    expect(proxy.asked).toEqual(['GET http://env.test/health', 'CONNECT env.test:80']);
    const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.logins).toEqual([login, login]);
  });

  test('is asked over TLS through a tunnel that the proxy cannot read', async () => {
    const server = await StandIn.start({ tls: SELF_SIGNED });
    const proxy = await startProxy(server.port);
    proxyEnv({ HTTPS_PROXY: `127.0.0.1:${proxy.port}` });
    expect(await failureOf(health('https://env.test:8443'))).toMatch(/TLS failed[\s\S]*NODE_EXTRA_CA_CERTS/);
    expect(await failureOf(playOnce('https://env.test:8443'))).toMatch(/TLS failed/);
    expect(proxy.asked).toEqual(['CONNECT env.test:8443', 'CONNECT env.test:8443']);
  });

  test.each([
    ['http', 'GET'],
    ['https', 'CONNECT'],
  ])('is not reached if the proxy requires a login (%s)', async (scheme) => {
    const proxy = await startProxy(1, 407);
    proxyEnv({ ALL_PROXY: `http://u:secret@127.0.0.1:${proxy.port}` });
    for (const failure of [
      await failureOf(health(`${scheme}://env.test`)),
      await failureOf(playOnce(`${scheme}://env.test`)),
    ]) {
      expect(failure).toMatch(
        /the proxy http:\/\/127\.0\.0\.1:\d+ requires a login \(HTTP 407\)[\s\S]*ALL_PROXY: http:\/\/USER:PASSWORD@/,
      );
      expect(failure).not.toContain('secret');
    }
  });

  test('is not reached if the proxy refuses', async () => {
    const proxy = await startProxy(1, 403);
    proxyEnv({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    const told =
      /the proxy http:\S+ refused to connect \(HTTP 403\)[\s\S]*allow env\.test on the proxy, or add it to NO_PROXY/;
    expect(await failureOf(health('https://env.test'))).toMatch(told);
    expect(await failureOf(playOnce('https://env.test'))).toMatch(told);
  });

  test.each(['http', 'https'])('is not reached if no proxy listens (%s)', async (scheme) => {
    proxyEnv({ ALL_PROXY: 'http://u:secret@127.0.0.1:1' });
    for (const failure of [
      await failureOf(health(`${scheme}://env.test`)),
      await failureOf(playOnce(`${scheme}://env.test`)),
    ]) {
      expect(failure).toMatch(
        /cannot connect to the proxy http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)[\s\S]*correct ALL_PROXY/,
      );
      expect(failure).not.toContain('secret');
    }
  });
});

describe('the proxy of a server', () => {
  const shown = (url: string, env: Record<string, string>) => {
    proxyEnv(env);
    return proxyFor(url)?.shown ?? null;
  };
  const both = { HTTP_PROXY: 'http://a:1', HTTPS_PROXY: 'http://b:2' };

  test.each([
    ['http://env.test', both, 'http://a:1'],
    ['ws://env.test/ws', both, 'http://a:1'],
    ['https://env.test', both, 'http://b:2'],
    ['wss://env.test/ws', both, 'http://b:2'],
    ['https://env.test', { HTTP_PROXY: 'http://a:1' }, null],
    ['http://env.test', { ...both, http_proxy: 'http://lower:3' }, 'http://lower:3'],
    ['https://env.test', { https_proxy: 'plain.host:3128' }, 'http://plain.host:3128'],
    ['http://env.test', { HTTP_PROXY: 'https://a:1' }, 'https://a:1'],
  ])('%s with %j is %s', (url, env, proxy) => {
    expect(shown(url, env)).toBe(proxy);
  });

  test.each([
    'http://127.0.0.1:8000',
    'http://127.9.9.9',
    'http://localhost:1',
    'ws://a.localhost/ws',
    'http://[::1]:8',
  ])('is not used for the loopback %s', (url) => {
    expect(shown(url, { ALL_PROXY: 'http://a:1' })).toBeNull();
  });

  test.each([
    ['*', true],
    ['env.test', true],
    ['.test', true],
    ['other, ENV.test', true],
    ['*.test', true],
    ['test', true],
    ['env.test:80', true],
    ['env.test:81', false],
    ['v.test', false],
    ['other.test', false],
  ])('is not used with NO_PROXY=%s: %s', (value, excluded) => {
    expect(shown('http://env.test', { ...both, NO_PROXY: value })).toBe(excluded ? null : 'http://a:1');
  });

  test.each([
    ['socks5://u:secret@a:1', /HTTP_PROXY names a socks5 proxy, which gymgen does not support[\s\S]*NO_PROXY/],
    ['http://u:secret@a b', /HTTP_PROXY is not the URL of a proxy/],
  ])('%s is refused without its password', async (value, told) => {
    proxyEnv({ HTTP_PROXY: value });
    const failure = await failureOf((async () => proxyFor('http://env.test'))());
    expect(failure).toMatch(told);
    expect(failure).not.toContain('secret');
  });
});
