import { Comparison } from './check/comparison.js';
import type { FileDifference } from './check/difference.js';
import type { Reporter } from './discover/index.js';
import { type Generated, generate } from './generate.js';
import { finishCommits, type Written, writeFolder } from './output/index.js';
import { Warnings } from './warnings.js';
import type { WriteRequest } from './write.js';

export interface UpdateReport extends Generated, Written {
  /** Files that were edited by hand and left as they are, with what gymgen would change in them. */
  edited: FileDifference[];
}

/**
 * Writes a folder again, around what was edited by hand in it.
 * @throws UserError for everything that a user can mend; the signal's reason when it aborts
 */
export async function update(request: WriteRequest, reporter: Reporter, signal: AbortSignal): Promise<UpdateReport> {
  await finishCommits(request.gymRoot);
  const { edits, dryRun } = request;
  return generate(
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
}
