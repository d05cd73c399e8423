import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUrl, withoutCredentials } from '../credentials.js';
import { discoverName, isRecording, openRecording, type Reporter, Semaphore } from '../discover/index.js';
import { Interrupted, UserError } from '../errors.js';
import { slug } from '../gym/index.js';
import { Unreachable } from '../openenv/index.js';
import { resolveSource } from '../source/index.js';
import { check } from './check.js';
import { prepareRoot, type WriteRequest, write } from './write.js';

/** One source of a batch. */
export interface Job {
  /** As messages call it: its name, or the source as it was given. */
  label: string;
  request: WriteRequest;
}

export type Status = 'wrote' | 'unchanged' | 'same' | 'differs' | 'failed' | 'skipped';

export interface Outcome {
  job: Job;
  status: Status;
  /** The folder's name, where it came to that. */
  name?: string;
  rows?: number;
  toolsets?: number;
  error?: UserError;
}

export interface BatchOptions {
  /** Jobs that run at once. */
  concurrency: number;
  /** End with the first job that fails. */
  failFast: boolean;
  /** How often an unreachable source is asked again. */
  retries: number;
  /** Compare, and write nothing. */
  check: boolean;
}

/** Is told what goes on. */
export interface BatchObserver {
  begun(job: Job): void;
  reporter(job: Job): Reporter;
  ended(outcome: Outcome): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Runs jobs, each as if it were alone, and goes on past those that fail.
 * @returns an outcome for each job, in their order
 * @throws UserError if two would write one folder, or if a Gym root has an interrupted write that cannot be completed; the signal's reason once it is aborted and all have ended
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
  // A bug in one must not leave the others running behind the command's end.
  const ends = await Promise.allSettled(workers);
  signal.throwIfAborted();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return jobs.map((job) => outcomes.get(job) ?? { job, status: 'skipped' });
}

/** Once for each Gym root, so that a problem of the root is not reported for each job. */
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
      reporter.progress(`${error.message}; trying again in ${wait / 1000} s`);
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }
}

async function once(job: Job, options: BatchOptions, reporter: Reporter, signal: AbortSignal): Promise<Outcome> {
  const { request } = job;
  const report = options.check ? await check(request, reporter, signal) : await write(request, reporter, signal);
  const { name, changed, rows, toolsets } = report;
  const status = options.check ? (changed ? 'differs' : 'same') : changed ? 'wrote' : 'unchanged';
  return { job, status, name, rows: rows.reduce((sum, split) => sum + split.rows, 0), toolsets: toolsets.length };
}

/** Jobs that ask one server share its sessions: together they open no more than the one that may open the most. */
function semaphoresOf(jobs: readonly Job[]): Map<string, Semaphore> {
  const limits = new Map<string, number[]>();
  for (const { request } of jobs) {
    const limit = request.discover.maxSessions;
    limits.set(serverOf(request.url), [...(limits.get(serverOf(request.url)) ?? []), limit]);
  }
  const shared = [...limits].filter(([, all]) => all.length > 1);
  return new Map(shared.map(([server, all]) => [server, new Semaphore(Math.max(...all))]));
}

function shared({ request }: Job, semaphores: ReadonlyMap<string, Semaphore>): Job['request'] {
  const semaphore = semaphores.get(serverOf(request.url));
  return semaphore ? { ...request, discover: { ...request.discover, semaphore } } : request;
}

/** A URL without what doesn't matter; other sources are their own server each. */
function serverOf(source: string): string {
  return parseUrl(source)?.host ?? source;
}

const SILENT = { warn: () => {}, progress: () => {} };

/**
 * Refuses a batch of which two sources would write one folder, as far as their names can be told without starting one.
 * @throws UserError naming each two
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
      clashes.push(`${name}: ${withoutCredentials(other.request.url)} and ${withoutCredentials(job.request.url)}`);
    else first.set(folder, job);
  }
  if (clashes.length === 0) return;
  throw new UserError('two sources would write one folder; nothing was written', {
    details: clashes,
    fix: 'give one of them another name',
  });
}

/** Where a job of that name writes. */
function folderOf({ request }: Job, name: string): string {
  return `${path.resolve(request.gymRoot)}/${name}`;
}

/** The name that a job will write, or undefined where only running it tells, or will tell why it can't. */
async function nameOf({ request }: Job, signal: AbortSignal): Promise<string | undefined> {
  if (request.name !== undefined) return request.name;
  const { url: source, discover } = request;
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

/** For names that only running tells: the second job of one is refused before it writes. */
export function claims(): (job: Job, name: string) => void {
  const first = new Map<string, Job>();
  return (job, name) => {
    const folder = folderOf(job, name);
    const other = first.get(folder);
    if (other !== undefined && other !== job) {
      throw new UserError(`another source of the batch writes '${name}': ${withoutCredentials(other.request.url)}`, {
        fix: 'give one of them another name',
      });
    }
    first.set(folder, job);
  };
}
