// Finds the processes that a test run left behind: every one that it started inherited a variable of its environment.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const run = `${process.pid}-${Date.now()}`;

/** The variable that marks what a tier of this run starts. */
export const markOf = (tier) => ({ GYMGEN_TEST_RUN: `${run}-${tier}` });

/** The marked processes of now, as { pid, command }. Needs /proc: elsewhere there are none to find. */
function marked(tier) {
  const found = [];
  const mark = `GYMGEN_TEST_RUN=${markOf(tier).GYMGEN_TEST_RUN}`;
  for (const pid of readNames('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!read(`/proc/${pid}/environ`).split('\0').includes(mark)) continue;
    found.push({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() });
  }
  return found;
}

/** Kills what a tier left that is still there after the grace (ms) to end by itself, and returns it. */
export async function killLeftovers(tier, grace) {
  const deadline = Date.now() + grace;
  let left = marked(tier);
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(100);
    left = marked(tier);
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended meanwhile
    }
  }
  return left;
}

const readNames = (folder) => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** A process that ends while it is looked at, or that is another user's, reads as empty. */
const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
