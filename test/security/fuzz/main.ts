// Reads hostile texts one after the other, in a process of its own that can be killed:
//   node main.js FOLDER JOB_FILE
// The job is {"seed": 1, "runs": 2500}, which prints a line `{"run": …}` before each text and a report in the end, or
// {"target": "lock", "text": "…"}, which reads one text and prints the peak of its memory.

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { UserError } from '../../../src/errors.js';
import { outsideOf, type Target, targets } from './targets.js';

export interface FuzzReport {
  target: string;
  runs: number;
  /** Milliseconds and text of the input that took longest. */
  slowest: { ms: number; text: string };
  /** The report of fast-check on the first input that failed. */
  failure?: string;
}

type Job = { seed: number; runs: number } | { target: string; text: string };

const [folder = '', jobFile = ''] = process.argv.slice(2);
process.env.XDG_STATE_HOME = path.join(folder, 'state');
const parent = path.join(folder, 'parent');
mkdirSync(parent, { recursive: true });

const asked: Job = JSON.parse(readFileSync(jobFile, 'utf8'));
const all = await targets(parent);
if ('target' in asked) {
  const target = all.find(({ name }) => name === asked.target) as Target;
  await attempt(target, asked.text);
  console.log(JSON.stringify({ peak: peakMemory() }));
} else {
  const reports: FuzzReport[] = [];
  for (const target of all) reports.push(await fuzz(target, asked));
  console.log(JSON.stringify({ reports }));
}

/** Peak memory in bytes. On Linux, `maxRSS` of a new process starts with that of its parent. */
function peakMemory(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // not Linux
  }
  return process.resourceUsage().maxRSS * 1024;
}

async function fuzz(target: Target, { seed, runs }: { seed: number; runs: number }): Promise<FuzzReport> {
  const before = outsideOf(parent);
  const slowest = { ms: 0, text: '' };
  let count = 0;
  const result = await fc.check(
    fc.asyncProperty(target.inputs, async (text) => {
      count += 1;
      console.log(JSON.stringify({ run: count, target: target.name }));
      const began = performance.now();
      await attempt(target, text);
      const ms = performance.now() - began;
      if (ms > slowest.ms) Object.assign(slowest, { ms, text });
      if (outsideOf(parent) !== before) throw new Error('something outside the Gym root has changed');
    }),
    { seed, numRuns: runs, endOnFailure: true },
  );
  const failure = result.failed ? fc.defaultReportMessage(result) : undefined;
  return { target: target.name, runs: result.numRuns, slowest, ...(failure === undefined ? {} : { failure }) };
}

async function attempt(target: Target, text: string): Promise<void> {
  try {
    await target.read(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}
