import { addAbortSignal } from 'node:stream';
import { withoutCredentials } from '../credentials.js';
import { UsageError } from '../errors.js';
import { utf8Text } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import { type BatchFile, type BatchSource, readBatchFile } from '../operations/batch-file.js';
import { gymgenCommand } from '../printed-command.js';

const STDIN = 'standard input';

/**
 * The sources of a batch: from a file, from a list on standard input, or from `--source`.
 * @param file the argument of the command; `-` for standard input
 * @throws UserError if there are no sources, or if they come from several places
 */
export async function batchSources(
  file: string | undefined,
  sources: readonly string[],
  signal: AbortSignal,
): Promise<BatchFile> {
  const isFile = file !== undefined && file !== '-';
  if ([isFile, file === '-', sources.length > 0].filter(Boolean).length !== 1) {
    throw new UsageError('batch needs a file, standard input or --source', {
      fix: gymgenCommand`batch FILE.yaml, batch - < LIST, or batch --source URL --source URL --root GYM_ROOT`,
    });
  }
  if (isFile) return readBatchFile(file);
  const listed = file === '-' ? await lines(signal) : sources;
  if (listed.length === 0) {
    throw new UsageError('no sources to process', {
      where: STDIN,
      fix: 'write one source per line; blank lines and lines that begin with # are skipped',
    });
  }
  return { sources: listed.map(sourceOf) };
}

function sourceOf(source: string): BatchSource {
  return { source, flags: {}, where: withoutCredentials(source) };
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
