// Several runs on one Gym root at once, which all find what a dead one left there.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finishCommits, writeFolder } from '../../src/output/index.js';
import { childProcesses } from './support/child.js';
import { outputs, put, tempFolder } from './support/gym-root.js';

const NAMES = Array.from({ length: 12 }, (_, at) => `env_${at}`);
const DEAD = JSON.stringify({ pid: 2 ** 22 + 1 }); // above what Linux gives
const child = childProcesses();

/** A Gym root with the staging folder of a dead run for each name. */
function rootOfTheDead(): string {
  const root = tempFolder();
  for (const name of NAMES) put(join(root, '.gymgen', name), { 'owner.json': DEAD, 'files/data/train.jsonl': '{}\n' });
  return root;
}

test('jobs of one process each write their own', async () => {
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

test('processes clean up after it without hindering each other', async () => {
  for (let round = 0; round < 5; round += 1) {
    const root = rootOfTheDead();
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => child({ gymRoot: root }).outcome));
    expect(outcomes.map((outcome) => outcome?.error)).toEqual([undefined, undefined, undefined, undefined]);
    expect(existsSync(join(root, '.gymgen'))).toBe(false);
  }
});
