import path from 'node:path';
import { END_TURN, isRecording } from '../discover/index.js';
import { assertFinished, type Edits, finishCommits, type Written, writeFolder } from '../output/index.js';
import type { Reporter } from '../reporter.js';
import { codeOf } from '../source/index.js';
import { forgetRecording, rememberRecording, rememberSource } from '../state/trusted-sources.js';
import { type Generated, type GenerateRequest, generate } from './generate.js';
import type { SourceRequest } from './open-source.js';
import { Warnings } from './strict.js';

export interface WriteRequest extends GenerateRequest {
  /** What to do with files that were edited by hand. */
  edits: Edits;
  dryRun: boolean;
}

/** The folder that was written, or would be with `dryRun`. */
export type WriteReport = Generated & Written;

/**
 * Writes the resources server for a source into a Gym root, atomically.
 * @throws UserError for problems that a user can fix; the signal's reason if it aborts
 */
export async function write(request: WriteRequest, reporter: Reporter, signal: AbortSignal): Promise<WriteReport> {
  const warnings = new Warnings(reporter);
  const { edits, dryRun } = request;
  await prepareRoot(request, warnings);
  const report = await generate(
    { ...request, readOnly: dryRun },
    (target, files, record) => writeFolder(target, files, record, { edits, dryRun, signal }),
    warnings,
    signal,
  );
  if (!dryRun) await rememberWritten(request, report.folder);
  return report;
}

/**
 * Completes the commit of an interrupted run.
 * @throws UserError in a dry run, which changes nothing
 */
export async function prepareRoot(
  { gymRoot, dryRun }: Pick<WriteRequest, 'gymRoot' | 'dryRun'>,
  reporter: Reporter,
): Promise<void> {
  if (dryRun) return assertFinished(gymRoot);
  for (const name of await finishCommits(gymRoot)) reporter.warn(`completed the interrupted write of '${name}'`);
}

/** Whether the model has to call `end_turn`. */
export function hasTurns(report: WriteReport): boolean {
  return report.toolsets.some(({ turns, tools }) => turns > 1 && tools.includes(END_TURN));
}

/**
 * Remembers a recording or code from which a folder was generated. For this user, `check` and `update` then read the
 * recording again, or run the code that only the lock file names.
 * @param folder that was written
 */
export async function rememberWritten({ source, bundle }: SourceRequest, folder: string): Promise<void> {
  if (await isRecording(source)) return rememberRecording(folder, path.resolve(source));
  const code = source.includes('://') ? undefined : await codeOf(source);
  if (code === undefined) await forgetRecording(folder);
  else await rememberSource(folder, { code, sandbox: bundle?.sandbox });
}
