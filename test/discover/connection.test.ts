import { expect, test } from 'vitest';
import { openSource } from '../../src/operations/open-source.js';
import { discoverAll, discoverOptions, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { SELF_SIGNED } from '../support/self-signed.js';
import { StandIn } from '../support/stand-in.js';

test('http:// to a port that speaks TLS says to use https://', async () => {
  const server = await StandIn.start({ tls: SELF_SIGNED });
  expect(await failureOf(discoverAll(`http://${server.host}`))).toMatch(
    new RegExp(`the server speaks TLS, not plain HTTP[\\s\\S]*fix: use https://${server.host}$`),
  );
});

test('a server that resets connections and speaks no TLS is unreachable', async () => {
  const server = await StandIn.start({ http: () => (response) => response.socket?.resetAndDestroy() });
  expect(await failureOf(discoverAll(server.url))).toMatch(/the connection failed[\s\S]*curl/);
});

test('a proxy in front of a TLS port says so, too', async () => {
  const server = await StandIn.start({
    http: () => ({ status: 400, body: '<h1>400</h1>The plain HTTP request was sent to HTTPS port' }),
  });
  expect(await failureOf(discoverAll(server.url))).toMatch(/fix: use https:/);
});

test('a --config-url that this machine does not know suggests --source', async () => {
  const url = 'http://env.invalid:8000';
  const request = { source: url, configUrl: url, discover: discoverOptions() };
  expect(await failureOf(openSource(request, new Said(), new AbortController().signal))).toMatch(
    /host name is not known[\s\S]*fix: pass a URL that this machine can reach: --source URL/,
  );
});

test('a split with an empty name is named so', async () => {
  const server = await StandIn.start({ splits: { '': [] } });
  expect(await failureOf(discoverAll(server.url))).toMatch(/a split needs a name, and this one is empty/);
});
