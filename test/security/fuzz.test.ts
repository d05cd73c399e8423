import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FuzzReport } from './fuzz/main.js';
// @ts-expect-error: plain JavaScript, which the bench runs without a build
import { fuzz } from './fuzz/run.mjs';

const RUNS = 2500; // of each of four parsers

test('10,000 hostile lock, journal, recording and batch files change nothing outside and stall nothing', async () => {
  const seed = Number(process.env.GYMGEN_FUZZ_SEED ?? randomInt(2 ** 31));
  console.log(`fuzz: GYMGEN_FUZZ_SEED=${seed}`);
  const { reports }: { reports: FuzzReport[] } = await fuzz({ seed, runs: RUNS });
  expect(reports.map(({ target, runs, failure }) => ({ target, runs, failure }))).toEqual(
    ['lock', 'journal', 'recording', 'batch'].map((target) => ({ target, runs: RUNS, failure: undefined })),
  );
}, 900_000);
