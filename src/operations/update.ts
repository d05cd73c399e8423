import { Comparison } from '../check/comparison.js';
import type { FileDifference } from '../check/difference.js';
import { type Written, writeFolder } from '../output/index.js';
import type { Reporter } from '../reporter.js';
import { type Generated, generate } from './generate.js';
import { Warnings } from './strict.js';
import { prepareRoot, rememberWritten, type WriteRequest } from './write.js';

export interface UpdateReport extends Generated, Written {
  /** Files whose manual edits were kept, with the differences from what is generated. */
  edited: FileDifference[];
}

/**
 * Regenerates a folder, keeping manual edits.
 * @throws UserError for problems that a user can fix; the signal's reason if it aborts
 */
export async function update(request: WriteRequest, reporter: Reporter, signal: AbortSignal): Promise<UpdateReport> {
  const { edits, dryRun } = request;
  const warnings = new Warnings(reporter);
  await prepareRoot(request, warnings);
  const report = await generate(
    { ...request, readOnly: dryRun },
    async (target, files, record) => {
      const comparison = new Comparison(target);
      const written = await writeFolder(target, comparison.watch(files), record, { edits, dryRun, signal });
      const edited = written.plan.entries.filter(({ state }) => state === 'edited' && edits !== 'ours');
      return { ...written, edited: await comparison.differences(edited) };
    },
    warnings,
    signal,
  );
  if (!dryRun) await rememberWritten(request, report.folder);
  return report;
}
