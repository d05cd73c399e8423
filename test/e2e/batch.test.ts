// A batch of many servers, bundles and recordings, some of them invalid; and the state that a killed batch leaves.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { copyFolder, folderOf, mustGymgen, snapshot, startGymgen, tempFolder } from './support/gymgen.js';
import { bundleFolder } from './support/mcp-servers.js';
import { endings, eventually, processesWith } from './support/processes.js';
import { readAllAsGym } from './support/run-python.js';
import { type Gridsim, gridsim } from './support/servers.js';
import { python } from './support/toolchain.js';

const temp = tempFolder();
const root = join(temp, 'root');
const file = join(temp, 'batch.yaml');
/** The same without the bundles, which take seconds to serve. */
const quickFile = join(temp, 'quick.yaml');
const recording = join(temp, 'recording.jsonl.gz');
const MARK = `GYMGEN_E2E_BATCH=${temp}`;
const env: Record<string, string> = { GYMGEN_E2E_BATCH: temp };
const ending = endings();
const servers: Gridsim[] = [];
const RECORDINGS = 21;
const BUNDLED = ['qa_v1', 'tools_v1', 'multi_v1'];
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
    { source: recording, name: 'gyms_route', 'rename-tool': 'submit_schedule=verify' },
  ];
  // The invalid sources are mixed with the valid ones.
  const sources = good.flatMap((entry, at) => (at % 6 === 0 ? [entry, ...bad.splice(0, 1)] : [entry]));
  writeFileSync(file, stringify({ root: 'root', sources: [...sources, ...bad] }));
  const quick = sources.filter(({ python }) => python === undefined);
  writeFileSync(quickFile, stringify({ root: 'root', sources: quick }));
});

let pagesMayBeSent: Promise<void> = Promise.resolve();

/** Holds back the responses to requests of pages. @returns a function that sends them */
function holdPages(): () => void {
  let answer = () => {};
  pagesMayBeSent = new Promise((resolve) => {
    answer = resolve;
  });
  return () => answer();
}

/** A server that is not an OpenEnv server. */
async function page(): Promise<string> {
  const server = http.createServer(async (_, response) => {
    await pagesMayBeSent;
    response.end('<html>hello</html>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function run(...args: string[]) {
  return runFile(file, ...args);
}

function runFile(batch: string, ...args: string[]) {
  return startGymgen(['batch', batch, '--concurrency', '4', '--retries', '1', ...args], env);
}

/** Resolves when this many sources are done. The batch prints a line for each. */
async function untilDone(batch: ReturnType<typeof run>, count: number): Promise<void> {
  let said = '';
  const enough = new Promise<void>((resolve) => {
    batch.stderr?.on('data', (text) => {
      said += String(text);
      if ((said.match(/^(?:wrote|unchanged|failed) /gm) ?? []).length >= count) resolve();
    });
  });
  await Promise.race([enough, batch]);
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

const written = () => readdirSync(join(root, 'resources_servers'));

test('of 40 sources, the 34 valid ones are written, and the 6 others are reported with their reasons', async () => {
  const { exitCode, stdout } = await run('--json');
  expect(exitCode).toBe(1);
  expect(statuses(stdout)).toEqual({ wrote: GOOD, failed: 6 });
  const reasons = JSON.parse(stdout).jobs.flatMap(({ error }: { error?: { what: string } }) => error?.what ?? []);
  expect(new Set(reasons).size).toBe(6);
  expect(written()).toHaveLength(GOOD);
  await nothingLeft();
  for (const [name, { rows, config }] of Object.entries(await readAllAsGym(root, written()))) {
    expect(Object.keys(config), name).toContain(name);
    expect(Math.min(...Object.values(rows)), name).toBeGreaterThan(0);
  }
});

test('a second run retries only the 6, and a check reports nothing else', async () => {
  const before = snapshot(join(root, 'resources_servers'));
  const again = await run('--json');
  expect([again.exitCode, statuses(again.stdout)]).toEqual([1, { unchanged: GOOD, failed: 6 }]);
  const checked = await runFile(quickFile, '--json', '--check');
  expect([checked.exitCode, statuses(checked.stdout)]).toEqual([2, { same: GOOD - BUNDLED.length, failed: 6 }]);
  expect(snapshot(join(root, 'resources_servers'))).toEqual(before);
  await nothingLeft();
});

test('after a kill at any moment, each folder is old, new or missing, and complete; a rerun finishes', async () => {
  const [fresh, old] = [join(temp, 'fresh'), join(temp, 'old')];
  for (const name of BUNDLED) rmSync(folderOf(root, name), { recursive: true });
  copyFolder(root, fresh);
  // Some folders have only their first rows yet, and others do not exist.
  await runFile(quickFile, '--quiet', '--limit', '1');
  for (const name of written().filter((_, at) => at % 3 === 0)) rmSync(folderOf(root, name), { recursive: true });
  copyFolder(root, old);
  const answerPages = holdPages(); // so that the batch is still running when it is killed, on any machine
  const textsIn = (gymRoot: string, name: string) =>
    existsSync(folderOf(gymRoot, name)) ? snapshot(folderOf(gymRoot, name)).texts : 'absent';
  for (const done of [2, 14, 26]) {
    copyFolder(old, root);
    const batch = runFile(quickFile);
    await untilDone(batch, done);
    await sleep(50 * Math.random());
    batch.kill('SIGKILL');
    expect((await batch).signal, `killed after ${done}`).toBe('SIGKILL');
    // The next command of this user that writes completes the interrupted commits. It needs the batch's environment:
    // its state folder (AgentEnv's) contains the key of the journals.
    const next = await startGymgen([recording, root, '--name', 'recorded_0', '--limit', '1'], env);
    expect(next.exitCode, next.stderr).toBe(0);
    for (const name of readdirSync(join(fresh, 'resources_servers'))) {
      const possible = [textsIn(old, name), textsIn(fresh, name)];
      expect(possible, `${name}, killed after ${done}`).toContainEqual(textsIn(root, name));
    }
  }
  answerPages();
  const { exitCode, stdout, stderr } = await runFile(quickFile, '--json');
  expect(exitCode, stderr).toBe(1);
  expect(statuses(stdout)).toMatchObject({ wrote: expect.any(Number), unchanged: expect.any(Number), failed: 6 });
  expect(snapshot(root).texts).toEqual(snapshot(fresh).texts);
  await nothingLeft();
});
