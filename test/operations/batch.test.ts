import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type BatchOptions, type Job, type Outcome, runBatch } from '../../src/operations/batch.js';
import { requestOf } from '../../src/operations/request.js';
import type { Flags } from '../../src/options/index.js';
import { Said } from '../support/discovered.js';
import { days, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const OPTIONS: BatchOptions = { concurrency: 4, failFast: false, retries: 0, check: false };

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-batch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function job(root: string, source: string, flags: Flags = {}): Job {
  return { label: flags.name ?? source, request: requestOf(source, root, flags) };
}

/** Runs jobs, and returns the maximum number that ran at once. */
async function batch(jobs: Job[], options: Partial<BatchOptions> = {}, signal = new AbortController().signal) {
  const running = new Set<Job>();
  let most = 0;
  const observer = {
    begun(one: Job) {
      running.add(one);
      most = Math.max(most, running.size);
    },
    reporter: () => new Said(),
    ended: ({ job: one }: Outcome) => void running.delete(one),
  };
  const outcomes = await runBatch(jobs, { ...OPTIONS, ...options }, observer, signal);
  return { outcomes, statuses: outcomes.map(({ status }) => status), most };
}

test('continues if some fail, and a second run repeats only these', async () => {
  const server = await StandIn.start();
  const root = tempFolder();
  const jobs = [
    ...['one', 'two', 'three'].map((name) => job(root, server.url, { name })),
    job(root, 'http://127.0.0.1:9', { name: 'gone' }),
    job(root, join(root, 'gone.jsonl')),
    job(root, server.url, { name: 'no_split', split: ['none'] }),
    job(root, server.url, { name: 'Bad Name' }),
    job(root, server.url, { name: 'four' }),
  ];
  const wrote = ['wrote', 'wrote', 'wrote', 'failed', 'failed', 'failed', 'failed', 'wrote'];
  const first = await batch(jobs);
  expect(first.statuses).toEqual(wrote);
  expect(first.most).toBe(4);
  expect(first.outcomes.map(({ error }) => error?.message).filter(Boolean)).toEqual([
    expect.stringContaining('connection refused'),
    expect.stringContaining('recording not found'),
    expect.stringContaining("no such split: 'none'"),
    expect.stringContaining('NeMo Gym would reject the generated folder'),
  ]);
  expect(readdirSync(join(root, 'resources_servers')).sort()).toEqual(['four', 'one', 'three', 'two']);
  expect((await batch(jobs)).statuses).toEqual(wrote.map((status) => (status === 'wrote' ? 'unchanged' : status)));
  expect((await batch(jobs, { check: true })).statuses.slice(0, 3)).toEqual(['same', 'same', 'same']);
});

test('two sources of one name are refused before anything is probed or written', async () => {
  const server = await StandIn.start();
  const root = tempFolder();
  await expect(
    batch([job(root, server.url), job(root, `${server.url}/`), job(root, server.url, { name: 'x' })]),
  ).rejects.toMatchObject({ exitCode: 2, details: [`grid_v1: ${server.url} and ${server.url}/`] });
  expect(server.resets).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
});

test('--fail-fast stops at the first failure', async () => {
  const server = await StandIn.start();
  const root = tempFolder();
  const jobs = ['gone', 'a', 'b'].map((name) =>
    job(root, name === 'gone' ? 'http://127.0.0.1:9' : server.url, { name }),
  );
  const { statuses } = await batch(jobs, { failFast: true, concurrency: 1 });
  expect(statuses).toEqual(['failed', 'skipped', 'skipped']);
});

test('only unreachable sources are retried', async () => {
  let asked = 0;
  const server = await StandIn.start({
    http: ({ path }) => {
      if (path !== '/health') return undefined;
      asked += 1;
      return asked < 3 ? (response) => response.destroy() : undefined;
    },
  });
  const jobs = [job(tempFolder(), server.url, { name: 'late' })];
  expect((await batch(jobs, { retries: 2 })).statuses).toEqual(['wrote']);
  expect(asked).toBe(3);
  const full = [job(tempFolder(), server.url, { name: 'x', split: ['none'] })];
  expect((await batch(full, { retries: 5 })).statuses).toEqual(['failed']);
  expect(asked).toBe(4);
});

test('sources of one server share its sessions', async () => {
  const turns = (task: { toolset?: unknown }) => [[tool(String(task.toolset))]];
  const splits = { train: days(12, (number) => ({ toolset: `t${number}` })) };
  const ws = () => new Promise<undefined>((resolve) => setTimeout(resolve, 5, undefined));
  const server = await StandIn.start({ splits, turns, ws });
  const root = tempFolder();
  const jobs = ['a', 'b', 'c', 'd'].map((name) => job(root, server.url, { name, maxSessions: '3' }));
  expect((await batch(jobs)).statuses).toEqual(['wrote', 'wrote', 'wrote', 'wrote']);
  expect(server.peak).toBe(3);
});

test('an interruption ends all jobs, and leaves no partial folders', async () => {
  const controller = new AbortController();
  const root = tempFolder();
  const server = await StandIn.start({
    http: ({ path }) => {
      if (path.endsWith('task_range')) controller.abort(new Error('stop'));
      return undefined;
    },
    mayLeak: true,
  });
  const jobs = ['a', 'b', 'c'].map((name) => job(root, server.url, { name }));
  await expect(batch(jobs, {}, controller.signal)).rejects.toThrow('stop');
  expect(readdirSync(root)).toEqual([]);
});
