import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { Unreachable } from '../../src/openenv/index.js';
import { serveExampleCommand } from '../../src/operations/example.js';
import { eachFolder, rootToCheck } from '../../src/operations/from-lock/index.js';
import { playServers } from '../../src/operations/play.js';
import { freePorts } from '../../src/play/ports.js';
import { Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';

const root = mkdtempSync(join(tmpdir(), 'gymgen-example-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Writes the folder of a server, whose environment does not run by default. @returns the URL of the environment */
async function write(name: string, at?: string): Promise<string> {
  const url = at ?? `http://127.0.0.1:${(await freePorts(1))[0]}`;
  const folder = join(root, 'resources_servers', name);
  mkdirSync(join(folder, 'configs'), { recursive: true });
  writeFileSync(join(folder, 'gymgen.lock.json'), JSON.stringify({ format: 1, source: url, files: {} }));
  const config = `${name}:\n  resources_servers:\n    ${name}:\n      url: "${url}"\n`;
  writeFileSync(join(folder, `configs/${name}.yaml`), config);
  return url;
}

describe('play reports a server that is down before NeMo Gym starts, and the fix', () => {
  const play = async (name: string) => {
    const said = new Said();
    const options = { policy: 'idle', gymPython: '/bin/false' };
    const failure = await failureOf(playServers(root, [name], options, said, new AbortController().signal));
    expect(said.progressed).toEqual([]);
    return failure;
  };

  test('serves the built-in example', async () => {
    const url = await write('gridsim_v1');
    expect(await play('gridsim_v1')).toBe(`\
the environment's server does not answer
at: ${url}
fix: add --demo, or run in another terminal: gymgen demo --serve --port ${new URL(url).port}`);
  });

  test('starts the server of another environment', async () => {
    const url = await write('shop');
    expect(await play('shop')).toContain(`fix: start the server at ${url}`);
  });

  test.each(['127.0.0.1', '::1'])('but not one that listens on %s', async (host) => {
    const server = createServer((socket) => socket.destroy()).listen(0, host);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await write('shop', `ws://${host.includes(':') ? `[${host}]` : host}:${port}/ws`);
    expect(await play('shop')).toMatch(/^this Python cannot run NeMo Gym/);
  });

  test('and one with an invalid URL', async () => {
    await write('shop', 'envs.example.com:8000');
    expect(await play('shop')).toContain('not a URL');
  });
});

test('check of the built-in example names the command that serves it', async () => {
  const url = await write('gridsim_v1');
  const locked = await rootToCheck(root, { name: 'gridsim_v1' });
  const outcomes = eachFolder(locked, () => Promise.reject(new Unreachable('connection refused', { where: url })));
  expect(await failureOf(outcomes.next())).toContain(
    `fix: in another terminal, run: gymgen demo --serve --port ${new URL(url).port}`,
  );
});

test.each([
  ['gridsim_v1', 'http://127.0.0.1:8000', 'gymgen demo --serve'],
  ['gridsim_v1', 'http://localhost:8100', 'gymgen demo --serve --port 8100'],
  ['gridsim_v1', 'http://envs.example.com:8000', undefined],
  ['shop', 'http://127.0.0.1:8000', undefined],
])('the command that serves %s at %s is %s', (name, url, command) => {
  expect(serveExampleCommand(name, url)).toBe(command);
});
