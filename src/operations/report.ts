import { open } from 'node:fs/promises';
import { UserError } from '../errors.js';
import { orUndefined, translateErrors } from '../files.js';
import { targetFile, withDraft } from '../output/index.js';
import { MARK, type Report, writeReport } from '../report/index.js';
import type { OnProgress } from '../reporter.js';

export interface ReportRequest {
  /** Files of rollouts, or the folder of one server. */
  inputs: readonly string[];
  /** The page to write. */
  file: string;
  /** Longest sequence that the trainer accepts, in tokens. */
  maxTotalSequenceLength?: number;
  /** Whether to replace a file that is not a report. */
  force: boolean;
}

/** Bytes in which a report says that it is one. */
const HEAD = 2048;

/**
 * Writes a page about rollouts or a server. The page is written completely, or an existing file stays as it was.
 * @param progress called now and then with what is being done
 * @throws UserError if an input cannot be read, or if another file exists at the path of the page
 */
export async function report(
  { inputs, file, maxTotalSequenceLength: limit, force }: ReportRequest,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<Report> {
  const target = await translateErrors(file, () => targetFile(file, 'report.html'));
  if (!force) await assertReport(target, file);
  return withDraft(target, (draft, scratch) => writeReport(inputs, draft, scratch, { limit, signal, progress }));
}

async function assertReport(target: string, file: string): Promise<void> {
  const handle = await orUndefined(['ENOENT'], open(target));
  if (!handle) return;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    if (buffer.subarray(0, bytesRead).includes(MARK)) return;
  } finally {
    await handle.close();
  }
  throw new UserError('file exists and is not a gymgen report', {
    where: file,
    fix: 'choose another name, or add --force to replace it',
  });
}
