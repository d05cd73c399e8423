import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUrl, withoutCredentials } from '../credentials.js';
import { discoverName, isRecording, openRecording, Semaphore } from '../discover/index.js';
import { Interrupted, UserError } from '../errors.js';
import { slug } from '../gym/index.js';
import { Unreachable } from '../openenv/index.js';
import type { Reporter } from '../reporter.js';
import { resolveSource } from '../source/index.js';
import { type CheckReport, check } from './check.js';
import type { Generated } from './generate.js';
import { prepareRoot, type WriteRequest, write } from './write.js';

/** One source of a batch. */
export interface Job {
  /** Its name, or the source as passed, for messages. */
  label: string;
  request: WriteRequest;
}

export type Status = 'wrote' | 'unchanged' | 'same' | 'differs' | 'failed' | 'skipped';

export interface Outcome {
  job: Job;
  status: Status;
  /** Name of the folder, if known. */
  name?: string;
  rows?: number;
  toolsets?: number;
  error?: UserError;
  /** With `check`: what differs. */
  report?: CheckReport;
}

export interface BatchOptions {
  /** Jobs that run at once. */
  concurrency: number;
  /** Stop at the first failure. */
  failFast: boolean;
  /** Retries for an unreachable source. */
  retries: number;
  /** Compare only; write nothing. */
  check: boolean;
}

/** Reports progress. */
export interface BatchObserver {
  begun(job: Job): void;
  reporter(job: Job): Reporter;
  ended(outcome: Outcome): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Runs jobs independently of each other, and continues if some fail.
 * @returns an outcome for each job, in their order
 * @throws UserError if two jobs would write one folder, or if an interrupted write cannot be completed; the signal's reason if
 * it aborts, once all jobs have ended
 */
export async function runBatch(
  jobs: readonly Job[],
  options: BatchOptions,
  observer: BatchObserver,
  signal: AbortSignal,
): Promise<Outcome[]> {
  await prepareRoots(jobs, options, observer);
  await refuseSameNames(jobs, signal);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const semaphores = semaphoresOf(jobs);
  const claim = claims();
  const outcomes = new Map<Job, Outcome>();
  const waiting = [...jobs];

  const worker = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      if (either.aborted) return;
      observer.begun(job);
      const own = job;
      const request = { ...shared(job, semaphores), claim: (name: string) => claim(own, name) };
      const outcome = await run({ ...job, request }, options, observer.reporter(job), either);
      outcomes.set(job, { ...outcome, job });
      observer.ended({ ...outcome, job });
      if (outcome.status === 'failed' && options.failFast) failed.abort(new UserError('another source failed'));
    }
  };
  const workers = Array.from({ length: Math.min(options.concurrency, jobs.length) }, worker);
  // Wait for all jobs, even if one has a bug.
  const ends = await Promise.allSettled(workers);
  signal.throwIfAborted();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return jobs.map((job) => outcomes.get(job) ?? { job, status: 'skipped' });
}

/** Prepares each Gym root once, so that its problems are reported once. */
async function prepareRoots(jobs: readonly Job[], { check }: BatchOptions, observer: BatchObserver): Promise<void> {
  for (const [gymRoot, job] of new Map(jobs.map((job) => [job.request.gymRoot, job]))) {
    await prepareRoot({ gymRoot, dryRun: check || job.request.dryRun }, observer.reporter(job));
  }
}

async function run(job: Job, options: BatchOptions, reporter: Reporter, signal: AbortSignal): Promise<Outcome> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await once(job, options, reporter, signal);
    } catch (error) {
      if (signal.aborted) return { job, status: 'skipped' };
      if (!(error instanceof UserError) || error instanceof Interrupted) throw error;
      if (!(error instanceof Unreachable) || tries >= options.retries) return { job, status: 'failed', error };
      const wait = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
      reporter.progress({ phase: 'wait', reason: error.message, seconds: wait / 1000 });
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }
}

async function once(job: Job, options: BatchOptions, reporter: Reporter, signal: AbortSignal): Promise<Outcome> {
  const { request } = job;
  if (options.check) {
    const report = await check(request, reporter, signal);
    return { job, status: report.changed ? 'differs' : 'same', ...summaryOf(report), report };
  }
  const report = await write(request, reporter, signal);
  return { job, status: report.changed ? 'wrote' : 'unchanged', ...summaryOf(report) };
}

function summaryOf({ name, rows, toolsets }: Generated): Pick<Outcome, 'name' | 'rows' | 'toolsets'> {
  return { name, rows: rows.reduce((sum, split) => sum + split.rows, 0), toolsets: toolsets.length };
}

/** Jobs on one server share its sessions: together they open up to the largest of their limits. */
function semaphoresOf(jobs: readonly Job[]): Map<string, Semaphore> {
  const limits = new Map<string, number[]>();
  for (const { request } of jobs) {
    const limit = request.discover.maxSessions;
    limits.set(serverOf(request.source), [...(limits.get(serverOf(request.source)) ?? []), limit]);
  }
  const shared = [...limits].filter(([, all]) => all.length > 1);
  return new Map(shared.map(([server, all]) => [server, new Semaphore(Math.max(...all))]));
}

function shared({ request }: Job, semaphores: ReadonlyMap<string, Semaphore>): Job['request'] {
  const semaphore = semaphores.get(serverOf(request.source));
  return semaphore ? { ...request, discover: { ...request.discover, semaphore } } : request;
}

/** The host of a URL; any other source is its own server. */
function serverOf(source: string): string {
  return parseUrl(source)?.host ?? source;
}

const SILENT = { warn: () => {}, progress: () => {} };

/**
 * Refuses a batch with two sources for one folder, if their names are known without starting a source.
 * @throws UserError that names each pair
 */
export async function refuseSameNames(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
  const names = await Promise.all(jobs.map((job) => nameOf(job, signal)));
  const first = new Map<string, Job>();
  const clashes: string[] = [];
  for (const [at, job] of jobs.entries()) {
    const name = names[at];
    if (name === undefined) continue;
    const folder = folderOf(job, name);
    const other = first.get(folder);
    if (other)
      clashes.push(
        `${name}: ${withoutCredentials(other.request.source)} and ${withoutCredentials(job.request.source)}`,
      );
    else first.set(folder, job);
  }
  if (clashes.length === 0) return;
  throw new UserError('two sources would write the same folder; nothing was written', {
    code: 'usage',
    details: clashes,
    fix: 'set another name for one of them in a batch file (name: NAME)',
  });
}

/** The folder that a job writes. */
function folderOf({ request }: Job, name: string): string {
  return `${path.resolve(request.gymRoot)}/${name}`;
}

/** The name that a job will write; undefined if the name, or an error, is known only once the job runs. */
async function nameOf({ request }: Job, signal: AbortSignal): Promise<string | undefined> {
  if (request.name !== undefined) return request.name;
  const { source, discover } = request;
  try {
    if (await isRecording(source)) {
      const recording = await openRecording(source, { splits: [], limit: 1, signal }, SILENT);
      await recording.close();
      return slug(recording.envName);
    }
    const named = await resolveSource(source, request.bundle);
    if (named.kind === 'bundle') return slug(path.basename(source));
    if (named.kind === 'project') return undefined;
    const { url } = await named.open({ reporter: SILENT, signal });
    return slug(await discoverName(url, { headers: discover.headers, signal }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Refuses the second job with the same name before it writes, for names that become known only when a job runs. */
export function claims(): (job: Job, name: string) => void {
  const first = new Map<string, Job>();
  return (job, name) => {
    const folder = folderOf(job, name);
    const other = first.get(folder);
    if (other !== undefined && other !== job) {
      throw new UserError(`another source of the batch writes '${name}': ${withoutCredentials(other.request.source)}`, {
        code: 'usage',
        fix: 'set another name for one of them in a batch file (name: NAME)',
      });
    }
    first.set(folder, job);
  };
}
