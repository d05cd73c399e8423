// Time compared with a bare client, which does only the necessary work, and memory, from 1,000 to a million tasks.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bareClient, gymgen, whileStatic, withFolder } from './support/commands.mjs';
import { inTurn, measure } from './support/measure.mjs';
import { memory, row, shownBytes, time } from './support/rows.mjs';

const PAGE_BYTES = 2 ** 20;
const SIZES = [
  { tasks: 1000, bytes: 2400, runs: 5 },
  { tasks: 100_000, bytes: 2400, runs: 3 },
  { tasks: 1_000_000, bytes: 2400, runs: 3 },
  { tasks: 10_000, bytes: 100_000, runs: 1 },
];

export async function limit({ repeat } = {}) {
  const rows = [];
  const peaks = new Map();
  for (const { tasks, bytes, runs } of SIZES) {
    const { ours, theirs } = await whileStatic({ splits: { train: tasks }, bytes }, (url) =>
      withFolder((folder) => compare({ url, folder, tasks, bytes, repeat: repeat ?? runs })),
    );
    const what = `${tasks.toLocaleString('en')} tasks of ${bytes / 1000} KB`;
    const isLarge = tasks * bytes > 1e9;
    rows.push(time(what, ours, 'a bare client', theirs, isLarge ? 1.75 : undefined));
    rows.push(row(`${what}: memory`, shownBytes(ours.bytes), 'limit', '160 MB', ours.bytes / 160e6, 1));
    if (bytes === 2400) peaks.set(tasks, ours);
  }
  rows.push(memory('a million tasks', peaks.get(1_000_000), '100,000 tasks', peaks.get(100_000)));
  return rows;
}

async function compare({ url, folder, tasks, bytes, repeat }) {
  const gymRoot = join(folder, 'ours');
  const file = join(folder, 'theirs');
  const clean = async () => {
    for (const each of [gymRoot, file]) rmSync(each, { recursive: true, force: true });
  };
  // A short run shows how many bytes there are to write.
  await measure(gymgen(url, gymRoot, '--limit', '1000'));
  const rows = join(gymRoot, 'resources_servers/bench_v1/data/train.jsonl');
  const lines = readFileSync(rows, 'utf8').split('\n').length - 1;
  const size = Math.round((statSync(rows).size / lines) * tasks);
  const page = Math.max(1, Math.floor(PAGE_BYTES / bytes));
  return inTurn({ ours: gymgen(url, gymRoot), theirs: bareClient(url, file, tasks, page, size) }, repeat, clean);
}
