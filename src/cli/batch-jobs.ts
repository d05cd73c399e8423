import { addAbortSignal } from 'node:stream';
import { withoutCredentials } from '../credentials.js';
import { UserError } from '../errors.js';
import { checkOptions } from '../gym/index.js';
import { utf8Text } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import type { Job } from '../operations/batch.js';
import { requestOf } from '../operations/request.js';
import { type Flags, passed } from '../options/index.js';
import { gymgenCommand } from '../printed-command.js';
import { Findings } from '../rules/index.js';
import { type BatchSource, readBatchFile } from './batch-file.js';

const STDIN = 'standard input';

/**
 * The jobs of a batch: from a file, from a list on standard input, or from `--source`.
 * @param file the argument of the command; `-` for standard input
 * @throws UserError if there are no sources or no Gym root, or if an option has an invalid value
 */
export async function batchJobs(file: string | undefined, flags: Flags, signal: AbortSignal): Promise<Job[]> {
  const { root, sources = [], ...others } = flags;
  const isFile = file !== undefined && file !== '-';
  if ([isFile, file === '-', sources.length > 0].filter(Boolean).length !== 1) {
    throw new UserError('batch needs a file, a list on standard input, or --source', {
      fix: gymgenCommand`batch FILE.yaml, batch - < LIST, or batch --source URL --source URL --root GYM_ROOT`,
    });
  }
  const batch = isFile ? readBatchFile(file) : { sources: listed(file === '-' ? await lines(signal) : sources) };
  if (batch.sources.length === 0) {
    throw new UserError('no sources to process', {
      where: STDIN,
      fix: 'write one source per line; blank lines and lines that begin with # are skipped',
    });
  }
  const gymRoot = root ?? ('root' in batch ? batch.root : undefined);
  if (gymRoot === undefined) throw new UserError('missing Gym root', { fix: 'add --root GYM_ROOT' });
  return allOf(batch.sources, (entry) => jobOf(entry, gymRoot, others));
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
  throw new UserError('invalid options of several sources; nothing was started', {
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

/** One source per line, without blank lines and comments. */
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
