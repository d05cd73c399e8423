import os from 'node:os';
import { addAbortSignal } from 'node:stream';
import { withoutCredentials } from '../../credentials.js';
import { EXIT, UserError } from '../../errors.js';
import { utf8Text } from '../../json/utf8.js';
import { LIMITS, overLimit } from '../../limits.js';
import { type Job, runBatch } from '../../operations/batch.js';
import { gymgenCommand } from '../../printed-command.js';
import { type BatchSource, readBatchFile } from '../batch-file.js';
import { run } from '../run.js';
import { BatchBoard } from '../ui/batch-board.js';
import { batchDocument, showBatch } from '../ui/show-batch.js';
import type { WriteFlags } from '../write-options.js';
import { wholeNumber, writeRequest } from '../write-request.js';

export interface BatchFlags extends WriteFlags {
  root?: string;
  source?: string[];
  concurrency?: string;
  retries?: string;
  failFast?: boolean;
  check?: boolean;
}

/** `gymgen batch <file.yaml>`, `gymgen batch --source S …`, or `gymgen batch -` for a list on standard input. */
export async function batchCommand(file: string | undefined, flags: BatchFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const options = {
      concurrency: wholeNumber('--concurrency', flags.concurrency, 1) ?? os.availableParallelism(),
      retries: wholeNumber('--retries', flags.retries, 0) ?? 2,
      failFast: flags.failFast ?? false,
      check: flags.check ?? false,
    };
    const jobs = await jobsOf(file, flags, signal);
    const board = new BatchBoard(jobs.length, terminal);
    const outcomes = await runBatch(jobs, options, board, signal);
    showBatch(outcomes, terminal);
    terminal.document(batchDocument(outcomes));
    if (outcomes.some(({ status }) => status === 'failed' || status === 'differs')) process.exitCode = EXIT.problems;
  });
}

const STDIN = 'standard input';

async function jobsOf(file: string | undefined, flags: BatchFlags, signal: AbortSignal): Promise<Job[]> {
  const { root, source = [], concurrency: _, retries: __, failFast: ___, check: ____, ...given } = flags;
  const isFile = file !== undefined && file !== '-';
  if ([isFile, file === '-', source.length > 0].filter(Boolean).length !== 1) {
    throw new UserError('a batch is a file, a list on standard input, or --source many times', {
      fix: gymgenCommand`batch FILE.yaml, batch - < LIST, or batch --source URL --source URL --root GYM_ROOT`,
    });
  }
  const batch = isFile ? readBatchFile(file) : { sources: listed(file === '-' ? await lines(signal) : source) };
  if (batch.sources.length === 0) {
    throw new UserError('no sources to process', {
      where: STDIN,
      fix: 'write one source a line; blank lines and lines that begin with # are skipped',
    });
  }
  const gymRoot = root ?? ('root' in batch ? batch.root : undefined);
  if (gymRoot === undefined) throw new UserError('no Gym root is named', { fix: 'add --root GYM_ROOT' });
  return batch.sources.map((entry) => jobOf(entry, gymRoot, given));
}

function jobOf({ source, flags, where }: BatchSource, gymRoot: string, given: WriteFlags): Job {
  try {
    const request = writeRequest(source, gymRoot, { ...flags, ...set(given) });
    return { label: request.name ?? withoutCredentials(source), request };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message, details, fix, cause } = error;
    throw new UserError(message, { where, details, cause, ...(fix === undefined ? {} : { fix }) });
  }
}

/** One source a line; blank lines and those that begin with # are none. */
async function lines(signal: AbortSignal): Promise<string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LIMITS.configBytes) throw overLimit('configBytes', { where: STDIN });
  }
  const text = utf8Text(Buffer.concat(chunks), STDIN);
  const all = text.split(/\r?\n/).map((line) => line.trim());
  return all.filter((line) => line !== '' && !line.startsWith('#'));
}

function listed(sources: readonly string[]): BatchSource[] {
  return sources.map((source) => ({ source, flags: {}, where: withoutCredentials(source) }));
}

/** Options of the command line win over the file's. */
function set(flags: WriteFlags): WriteFlags {
  const isSet = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => isSet(value)));
}
