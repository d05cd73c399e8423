// Finds the processes that a test run left behind: every one that it started inherited a variable of its environment.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const MARK = { GYMGEN_TEST_RUN: `${process.pid}-${Date.now()}` };
const mark = `GYMGEN_TEST_RUN=${MARK.GYMGEN_TEST_RUN}`;

/** The marked processes of now, as { pid, command }. Needs /proc: elsewhere there are none to find. */
function marked() {
  const found = [];
  for (const pid of readNames('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!read(`/proc/${pid}/environ`).split('\0').includes(mark)) continue;
    found.push({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() });
  }
  return found;
}

/** Kills what is still there after the grace (ms) that processes get to end by themselves, and returns it. */
export async function killLeftovers(grace) {
  const deadline = Date.now() + grace;
  let left = marked();
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(100);
    left = marked();
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
