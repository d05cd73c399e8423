// Many sources at once: servers, bundles and recordings, some of which can't be written; and what a killed batch leaves.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { folderOf, gymgen, mustGymgen, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { bundleFolder } from './support/mcp-servers.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { python, REPOSITORY } from './support/toolchain.js';

const temp = tempFolder();
const root = join(temp, 'root');
const file = join(temp, 'batch.yaml');
const MARK = `GYMGEN_E2E_BATCH=${temp}`;
const env: Record<string, string> = { GYMGEN_E2E_BATCH: temp };
const ending = endings();
const servers: Gridsim[] = [];
const RECORDINGS = 20;
const GOOD = 34;

interface Entry {
  source: string;
  name?: string;
  split?: string;
  limit?: number;
  python?: string;
  'rename-tool'?: string;
}

beforeAll(async () => {
  for (const seed of ['1', '2']) {
    servers.push(ending(await gridsim('--seed', seed, '--train', '60', '--eval', '10', '--max-sessions', '4')));
  }
  const recording = join(temp, 'recording.jsonl.gz');
  await mustGymgen('record', servers[0]?.url as string, recording);
  const damaged = join(temp, 'damaged.jsonl.gz');
  writeFileSync(damaged, readFileSync(recording).subarray(0, -40));
  const html = await page();
  const agentenv = await python('agentenv');
  const bundle = async (name: string, more: Partial<Entry> = {}): Promise<Entry> => {
    const { folder, env: needed } = ending(await bundleFolder(name));
    Object.assign(env, needed);
    return { source: folder, python: agentenv, ...more };
  };
  const good: Entry[] = [
    ...Array.from({ length: 10 }, (_, n) => ({ source: servers[n % 2]?.url as string, name: `gridsim_${n}` })),
    await bundle('qa-v1'),
    await bundle('qa-v1', { split: 'train', limit: 1, name: 'qa_again' }),
    await bundle('tools-v1', { 'rename-tool': 'stats=stats_tool' }),
    await bundle('multi-v1', { 'rename-tool': 'stats=stats_tool' }),
    ...Array.from({ length: RECORDINGS }, (_, n) => ({ source: recording, name: `recorded_${n}`, limit: n + 1 })),
  ];
  const bad: Entry[] = [
    { source: 'http://127.0.0.1:9', name: 'unreachable' },
    { source: html, name: 'no_openenv' },
    { source: damaged, name: 'damaged' },
    { source: join(temp, 'gone.jsonl'), name: 'gone' },
    { source: recording, name: 'no_split', split: 'nope' },
    { source: join(REPOSITORY, 'fixtures/agentenv/bundles/refused-two-scores'), python: agentenv },
  ];
  // The bad ones among the good ones.
  const sources = good.flatMap((entry, at) => (at % 6 === 0 ? [entry, ...bad.splice(0, 1)] : [entry]));
  writeFileSync(file, stringify({ root: 'root', sources: [...sources, ...bad] }));
});

/** A server that is none of OpenEnv's. */
async function page(): Promise<string> {
  const server = http.createServer((_, response) => response.end('<html>hello</html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function run(...args: string[]) {
  return startGymgen(['batch', file, '--concurrency', '4', '--retries', '1', ...args], env);
}

function statuses(stdout: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of JSON.parse(stdout).jobs) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function nothingLeft(): Promise<void> {
  expect(
    await eventually(
      () => processesWith(MARK),
      (left) => left.length === 0,
    ),
  ).toEqual([]);
  for (const server of servers) expect(await server.leftOpen()).toBe(0);
  expect(existsSync(join(root, '.gymgen'))).toBe(false);
}

test('of 40 sources, the 34 good ones are written, and the 6 others are told, each with its reason', async () => {
  const { exitCode, stdout } = await run('--json');
  expect(exitCode).toBe(1);
  expect(statuses(stdout)).toEqual({ wrote: GOOD, failed: 6 });
  const reasons = JSON.parse(stdout).jobs.flatMap(({ error }: { error?: { what: string } }) => error?.what ?? []);
  expect(new Set(reasons).size).toBe(6);
  expect(readdirSync(join(root, 'resources_servers'))).toHaveLength(GOOD);
  await nothingLeft();
});

test('again, there is nothing to do but the 6, and a check finds nothing else', async () => {
  const before = snapshot(join(root, 'resources_servers'));
  const again = await run('--json');
  expect([again.exitCode, statuses(again.stdout)]).toEqual([1, { unchanged: GOOD, failed: 6 }]);
  expect(snapshot(join(root, 'resources_servers'))).toEqual(before);
  await nothingLeft();
});

test('killed at any moment, each folder is old, new or absent, and whole; a rerun completes', async () => {
  const whole = join(temp, 'whole');
  cpSync(root, whole, { recursive: true });
  for (const after of [1500, 4000]) {
    rmSync(root, { recursive: true });
    mkdirSync(root);
    const batch = run('--quiet');
    await sleep(after);
    batch.kill('SIGKILL');
    await batch;
    // The next command finishes what was begun.
    await gymgen(join(temp, 'recording.jsonl.gz'), root, '--name', 'recorded_0', '--limit', '1', '--quiet');
    for (const name of readdirSync(join(root, 'resources_servers'))) {
      expect(snapshot(folderOf(root, name)).texts, name).toEqual(snapshot(folderOf(whole, name)).texts);
    }
  }
  const { exitCode } = await run('--quiet');
  expect(exitCode).toBe(1);
  expect(snapshot(root).texts).toEqual(snapshot(whole).texts);
  await nothingLeft();
});
