// Finds the processes that a test run left behind. Every process of a run inherits a variable that marks it.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const run = `${process.pid}-${Date.now()}`;

/** The environment variable that marks the processes of a tier in this run. */
export const markOf = (tier) => ({ GYMGEN_TEST_RUN: `${run}-${tier}` });

/** The marked processes that are running, as { pid, command }. Without /proc, it finds none. */
function marked(tier) {
  const found = [];
  const mark = `GYMGEN_TEST_RUN=${markOf(tier).GYMGEN_TEST_RUN}`;
  for (const pid of readNames('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!read(`/proc/${pid}/environ`).split('\0').includes(mark)) continue;
    found.push({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() });
  }
  return found;
}

/** Gives the processes of a tier `grace` milliseconds to end, then kills the remaining ones and returns them. */
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
      // the process has ended
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

/** Empty if the process has ended or belongs to another user. */
const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
