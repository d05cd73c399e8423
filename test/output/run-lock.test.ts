import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finishCommits, writeFolder } from '../../src/output/index.js';
import { LockHeldError } from '../../src/output/run-lock.js';
import { childProcesses } from './support/child.js';
import { type Files, folderOf, NAME, outputs, put, rejection, tempFolder, write } from './support/gym-root.js';

const FILES: Files = { 'app.py': 'run()\n', 'data/train.jsonl': ['{}\n'] };
const NAMES = Array.from({ length: 12 }, (_, at) => `env_${at}`);
const DEAD = JSON.stringify({ pid: 2 ** 22 + 1 }); // above the highest pid of Linux
const child = childProcesses();

/** A Gym root with the staging folder of a dead run for each name. */
function rootOfTheDead(): string {
  const root = tempFolder();
  for (const name of NAMES) put(join(root, '.gymgen', name), { 'owner.json': DEAD, 'files/data/train.jsonl': '{}\n' });
  return root;
}

test('jobs of one process do not disturb each other', async () => {
  for (let round = 0; round < 20; round += 1) {
    const root = rootOfTheDead();
    const job = async (name: string) => {
      await finishCommits(root);
      const options = { signal: new AbortController().signal };
      return writeFolder({ gymRoot: root, name }, outputs({ 'data/train.jsonl': ['{}\n'] }), () => ({}), options);
    };
    const written = await Promise.all(NAMES.map(job));
    expect(written.map(({ changed }) => changed)).toEqual(NAMES.map(() => true));
    expect(existsSync(join(root, '.gymgen'))).toBe(false);
  }
});

test('processes that clean up do not disturb each other', async () => {
  for (let round = 0; round < 5; round += 1) {
    const root = rootOfTheDead();
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => child({ gymRoot: root }).outcome));
    expect(outcomes.map((outcome) => outcome?.error)).toEqual([undefined, undefined, undefined, undefined]);
    expect(existsSync(join(root, '.gymgen'))).toBe(false);
  }
});

test('old empty owner files, as in a checkout, are not waited for', async () => {
  const root = tempFolder();
  for (let at = 0; at < 50; at += 1) {
    const folder = join(root, '.gymgen', `s${at}`);
    mkdirSync(folder, { recursive: true });
    for (const name of ['owner.json', 'owner.json.discard']) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), at * 1e8, at * 1e8); // also in the future
    }
  }
  const began = Date.now();
  expect(await finishCommits(root)).toEqual([]);
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(existsSync(join(root, '.gymgen'))).toBe(false);
});

describe('a second run at the same time', () => {
  test('of the same name fails, naming the process and the path', async () => {
    const root = tempFolder();
    async function* slow() {
      yield* outputs(FILES);
      const error = await rejection(root);
      expect(error).toBeInstanceOf(LockHeldError);
      expect(error).toMatchObject({
        message: `another run is writing this folder: process ${process.pid}`,
        where: folderOf(root),
        fix: expect.stringContaining(join(root, '.gymgen', NAME, 'owner.json')),
      });
      expect(await finishCommits(root)).toEqual([]);
    }
    const signal = new AbortController().signal;
    await writeFolder({ gymRoot: root, name: NAME }, slow(), () => ({}), { signal });
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('of another name succeeds', async () => {
    const root = tempFolder();
    const signal = new AbortController().signal;
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const one = async (name: string) => {
      await finishCommits(root);
      return writeFolder({ gymRoot: root, name }, outputs(FILES), () => ({}), { signal });
    };
    for (let time = 0; time < 5; time += 1) await Promise.all(names.map(one));
    expect(readdirSync(root)).toEqual(['resources_servers']);
    expect(readdirSync(join(root, 'resources_servers'))).toEqual(names);
  });

  test.each([
    ['dead', JSON.stringify({ pid: 2 ** 22 + 1 })],
    ['replaced by another process with its pid', JSON.stringify({ pid: process.pid, started: '1' })],
    ['killed before it wrote its pid', ''],
  ])('takes over from a run that was %s', async (_, owner) => {
    const root = tempFolder();
    put(join(root, '.gymgen', NAME), { 'owner.json': owner, 'files/app.py': 'half', 'files/data/x': 'y' });
    await write(root, FILES);
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('never commits after another run has taken over', async () => {
    const root = tempFolder();
    async function* robbed() {
      yield* outputs(FILES);
      put(join(root, '.gymgen', NAME), { 'owner.json': JSON.stringify({ pid: process.ppid }) });
    }
    const signal = new AbortController().signal;
    const write = writeFolder({ gymRoot: root, name: NAME }, robbed(), () => ({}), { signal });
    await expect(write).rejects.toThrow(`another run is writing this folder: process ${process.ppid}`);
    expect(existsSync(folderOf(root))).toBe(false);
  });
});
