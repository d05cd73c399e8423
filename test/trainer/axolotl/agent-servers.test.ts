import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runningAgents } from '../../../src/trainers/axolotl/agent-servers.js';
import { failureOf } from '../../support/failure-of.js';

const signal = new AbortController().signal;
let close = () => {};
afterEach(() => close());

/** A head server of NeMo Gym, which answers the YAML of its config as JSON. */
async function head(config: unknown): Promise<number> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(typeof config === 'string' ? config : stringify(config)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return (server.address() as AddressInfo).port;
}

const agent = (host: unknown, port: unknown) => ({ responses_api_agents: { simple_agent: { host, port } } });

test('the named agent comes first, and only usable addresses are taken', async () => {
  const port = await head({
    policy_model: { responses_api_models: { vllm_model: { host: '127.0.0.1', port: 1 } } },
    other: agent('localhost', 18_000),
    shop_simple_agent: agent('10.0.0.5', 18_001),
    wide: agent('0.0.0.0', 18_002),
    odd: agent('h/@evil', 18_003),
    text: agent('127.0.0.1', '18004'),
    none: agent('127.0.0.1', undefined),
    value: 3,
  });
  expect(Object.entries(await runningAgents(port, 'shop_simple_agent', signal))).toEqual([
    ['shop_simple_agent', 'http://10.0.0.5:18001'],
    ['other', 'http://127.0.0.1:18000'],
    ['wide', 'http://127.0.0.1:18002'],
  ]);
});

test('an agent that is not running is an error with those that are', async () => {
  const failure = await failureOf(
    runningAgents(await head({ other: agent('127.0.0.1', 1) }), 'shop_simple_agent', signal),
  );
  expect(failure).toMatch(
    /^the agent shop_simple_agent is not running\nrunning agents: other\n.*\nfix: .*--port PORT$/,
  );
});

test.each([['a: [1'], [`a: ${'['.repeat(200)}`], ['x'.repeat(300_000)], [null]])(
  '%# is not a config',
  async (config) => {
    expect(await failureOf(runningAgents(await head(config), 'agent', signal))).toMatch(
      /cannot read the agents|is not running/,
    );
  },
);

test('no NeMo Gym at the port is an error', async () => {
  const port = await head({});
  close();
  const failure = await failureOf(runningAgents(port, 'agent', signal));
  expect(failure).toMatch(/^cannot read the agents of a running NeMo Gym\n[\s\S]*fix: .*gym env start/);
});
