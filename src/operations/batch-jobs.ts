import os from 'node:os';
import { withoutCredentials } from '../credentials.js';
import { UsageError, UserError } from '../errors.js';
import { checkOptions } from '../gym/index.js';
import { parseFlags } from '../options/flags.js';
import { type Flags, OPTIONS, passed } from '../options/index.js';
import { Findings } from '../rules/index.js';
import type { BatchOptions, Job } from './batch.js';
import type { BatchFile, BatchSource } from './batch-file.js';
import { requestOf } from './request.js';

/**
 * The jobs of a batch.
 * @param flags options that override those of the sources, with `root`
 * @throws UserError if no Gym root is named, or if an option has an invalid value
 */
export function batchJobs({ root, sources }: BatchFile, { root: passedRoot, ...flags }: Flags): Job[] {
  const gymRoot = passedRoot ?? root;
  if (gymRoot === undefined) throw new UsageError('missing Gym root', { fix: 'add --root GYM_ROOT' });
  return allOf(sources, (entry) => jobOf(entry, gymRoot, flags));
}

/**
 * How a batch runs.
 * @throws UserError if an option has an invalid value
 */
export function batchOptions(flags: Flags): BatchOptions {
  const { concurrency, retries } = parseFlags({ concurrency: flags.concurrency, retries: flags.retries });
  return {
    concurrency: concurrency ?? os.availableParallelism(),
    retries: retries ?? OPTIONS.retries.default,
    failFast: flags.failFast ?? false,
    check: flags.check ?? false,
  };
}

/**
 * The results of all entries.
 * @throws UserError with the mistakes of all of them
 */
function allOf<T>(entries: readonly BatchSource[], work: (entry: BatchSource) => T): T[] {
  const mistakes: UserError[] = [];
  const results = entries.flatMap((entry) => {
    try {
      return [work(entry)];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      mistakes.push(error);
      return [];
    }
  });
  const [first, ...others] = mistakes;
  if (first === undefined) return results;
  if (others.length === 0) throw first;
  throw new UsageError('invalid options of several sources; nothing was started', {
    details: mistakes
      .slice(0, REPORTED)
      .map(({ message, where, details }) => [`${where}: ${message}`, ...details].join('; ')),
    ...(first.fix === undefined ? {} : { fix: first.fix }),
  });
}

const REPORTED = 20;

/** A server for checks of the other options. */
const ANY_SERVER = { url: 'http://127.0.0.1' };

/** @throws UserError if NeMo Gym would reject the folder because of an option, whatever the source serves */
function assertAccepted({ name = 'any', gym }: Job['request']): void {
  const findings = new Findings();
  findings.add(checkOptions({ ...gym, name, server: ANY_SERVER }));
  findings.throwIfAny('NeMo Gym would reject these options; nothing was started');
}

/** Options of the command line override those of the file. */
function jobOf({ source, flags, where }: BatchSource, gymRoot: string, others: Flags): Job {
  try {
    const request = requestOf(source, gymRoot, { ...flags, ...passed(others) });
    assertAccepted(request);
    return { label: request.name ?? withoutCredentials(source), request };
  } catch (error) {
    throw error instanceof UserError ? error.at(where) : error;
  }
}
