// Time and memory of the slowest of 10,000 hostile lock, journal, recording and batch files.

import { randomInt } from 'node:crypto';
import { fuzz as run } from '../test/security/fuzz/run.mjs';
import { row, shownBytes } from './support/rows.mjs';

const RUNS = 2500;
/** Limits for reading one file. */
const LIMIT = { seconds: 60, bytes: 1e9 };

export async function fuzz() {
  const { reports } = await run({ seed: randomInt(2 ** 31), runs: RUNS });
  const failed = reports.find(({ failure }) => failure);
  if (failed) throw new Error(`${failed.target}: ${failed.failure}`);
  const rows = [];
  for (const { target, slowest } of reports) {
    const { peak } = await run({ target, text: slowest.text });
    const what = `the slowest of ${RUNS.toLocaleString('en')} hostile ${target} files`;
    const seconds = slowest.ms / 1000;
    rows.push(
      row(`${what}: time`, `${seconds.toFixed(3)} s`, 'killed after', `${LIMIT.seconds} s`, seconds / LIMIT.seconds, 1),
    );
    rows.push(row(`${what}: memory`, shownBytes(peak), 'limit', shownBytes(LIMIT.bytes), peak / LIMIT.bytes, 1));
  }
  return rows;
}
