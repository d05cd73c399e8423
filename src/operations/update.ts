import { Comparison } from '../check/comparison.js';
import type { FileDifference } from '../check/difference.js';
import type { Reporter } from '../discover/index.js';
import { type Written, writeFolder } from '../output/index.js';
import { type Generated, generate } from './generate.js';
import { rememberWritten } from './remember-written.js';
import { Warnings } from './warnings.js';
import { prepareRoot, type WriteRequest } from './write.js';

export interface UpdateReport extends Generated, Written {
  /** Files that were edited by hand and left as they are, with what gymgen would change in them. */
  edited: FileDifference[];
}

/**
 * Writes a folder again, around what was edited by hand in it.
 * @throws UserError for everything that a user can mend; the signal's reason when it aborts
 */
export async function update(request: WriteRequest, reporter: Reporter, signal: AbortSignal): Promise<UpdateReport> {
  const { edits, dryRun } = request;
  await prepareRoot(request, reporter);
  const report = await generate(
    request,
    async (target, files, record) => {
      const comparison = new Comparison(target);
      const written = await writeFolder(target, comparison.watch(files), record, { edits, dryRun, signal });
      const edited = written.plan.entries.filter(({ state }) => state === 'edited' && edits !== 'ours');
      return { ...written, edited: await comparison.differences(edited) };
    },
    new Warnings(reporter),
    signal,
  );
  if (!dryRun) await rememberWritten(request, report.folder);
  return report;
}
