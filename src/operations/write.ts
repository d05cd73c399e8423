import { END_TURN, type Reporter } from '../discover/index.js';
import { assertFinished, type Edits, finishCommits, type Written, writeFolder } from '../output/index.js';
import { type Generated, type GenerateRequest, generate } from './generate.js';
import { rememberWritten } from './remember-written.js';
import { Warnings } from './warnings.js';

export interface WriteRequest extends GenerateRequest {
  /** What becomes of files that were edited by hand. */
  edits: Edits;
  dryRun: boolean;
}

/** What was written, or would be. */
export type WriteReport = Generated & Written;

/**
 * The main job: a server's splits and tasks become a folder of the Gym root, whole or not at all.
 * @throws UserError for everything that a user can mend; the signal's reason when it aborts
 */
export async function write(request: WriteRequest, reporter: Reporter, signal: AbortSignal): Promise<WriteReport> {
  const warnings = new Warnings(reporter);
  const { edits, dryRun } = request;
  await prepareRoot(request, warnings);
  const report = await generate(
    request,
    (target, files, record) => writeFolder(target, files, record, { edits, dryRun, signal }),
    warnings,
    signal,
  );
  if (!dryRun) await rememberWritten(request, report.folder);
  return report;
}

/** Completes what an interrupted run began; a dry run changes nothing, and is refused. */
export async function prepareRoot(
  { gymRoot, dryRun }: Pick<WriteRequest, 'gymRoot' | 'dryRun'>,
  reporter: Reporter,
): Promise<void> {
  if (dryRun) return assertFinished(gymRoot);
  for (const name of await finishCommits(gymRoot)) reporter.warn(`completed the interrupted write of '${name}'`);
}

/** Whether tasks have turns that the model must end itself. */
export function hasTurns(report: WriteReport): boolean {
  return report.toolsets.some(({ turns, tools }) => turns > 1 && tools.includes(END_TURN));
}
