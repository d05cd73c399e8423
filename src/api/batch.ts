import { withoutCredentials } from '../credentials.js';
import { batchDocument } from '../documents/batch.js';
import { type BatchObserver, runBatch } from '../operations/batch.js';
import { type BatchFile, readBatchFile } from '../operations/batch-file.js';
import { batchJobs, batchOptions } from '../operations/batch-jobs.js';
import type { SentRequest } from '../reporter.js';
import { assertFilled, flagsOf } from './arguments.js';
import type { BatchReporter } from './batch-reporter.js';
import type { BatchOptions, GenerateOptions } from './options.js';
import type { BatchJob } from './result-parts.js';
import type { BatchResult } from './results.js';
import { run, wholeReporter } from './run.js';

/** A source of a batch, with its own options. */
export interface BatchSource extends GenerateOptions {
  /** Source as in {@link write}. */
  source: string;
}

/**
 * Writes many sources, and continues if one fails.
 *
 * @param sources - Path of a batch file (docs/batch.md), or a list of sources, each with or without its own options
 * @param options - The options of `gymgen batch`, with the same defaults. They override the options of each source.
 * @returns The outcome of each source, in the same order: the document that `gymgen batch --json` prints
 * @throws UserError if an option is invalid, or if two sources would write the same folder
 *
 * @example
 * ```ts
 * import { batch } from 'gymgen';
 *
 * const { jobs } = await batch(
 *   ['http://127.0.0.1:8000', { source: 'http://127.0.0.1:8000', name: 'small', limit: 5 }],
 *   { root: 'gym-root', concurrency: 2, reporter: { ended: (job, source) => console.log(source, job.status) } },
 * );
 * const failed = jobs.filter(({ status }) => status === 'failed');
 * for (const { source, error } of failed) console.error(source, error?.what, error?.fix);
 * ```
 */
export async function batch(
  sources: string | readonly (string | BatchSource)[],
  options: BatchOptions = {},
): Promise<BatchResult> {
  return run({ signal: options.signal }, async (_, signal) => {
    const flags = flagsOf('batch', options);
    const file = typeof sources === 'string' ? readBatchFile(sources) : { sources: sources.map(entryOf) };
    const observer = observerOf(options.reporter ?? {});
    return batchDocument(await runBatch(batchJobs(file, flags), batchOptions(flags), observer, signal));
  });
}

function entryOf(entry: string | BatchSource): BatchFile['sources'][number] {
  const { source, ...options } = typeof entry === 'string' ? { source: entry } : entry;
  assertFilled({ source });
  return { source, flags: flagsOf('write', options), where: withoutCredentials(source) };
}

function observerOf(reporter: BatchReporter): BatchObserver {
  return {
    begun: ({ label }) => reporter.begun?.(label),
    reporter: ({ label }) =>
      wholeReporter({
        note: (text) => reporter.note?.(text, label),
        warn: (text) => reporter.warn?.(text, label),
        progress: (progress) => reporter.progress?.(progress, label),
        ...(reporter.request && { request: (request: SentRequest) => reporter.request?.(request, label) }),
      }),
    ended: (outcome) => reporter.ended?.(batchDocument([outcome]).jobs[0] as BatchJob, outcome.job.label),
  };
}
