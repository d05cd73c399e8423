import { Comparison } from '../check/comparison.js';
import type { FileDifference } from '../check/difference.js';
import type { Reporter } from '../discover/index.js';
import { assertFinished, type Planned, planFolder } from '../output/index.js';
import { type Generated, type GenerateRequest, generate } from './generate.js';
import { Warnings } from './warnings.js';

export interface CheckReport extends Generated, Planned {
  /** Every file that differs from what is generated. */
  differences: FileDifference[];
}

/**
 * Generates a folder in memory and compares it with the existing one. Writes nothing.
 * @throws UserError if the source cannot be read, or if gymgen did not write the folder
 */
export async function check(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  await assertFinished(request.gymRoot);
  return generate(
    { ...request, dropPrompts: true },
    async (target, files, record) => {
      const comparison = new Comparison(target);
      // `keep` is the plan that does not touch edited files.
      const planned = await planFolder(target, comparison.watch(files), record, { edits: 'keep', signal });
      const differing = planned.plan.entries.filter(({ state }) => state !== 'same');
      return { ...planned, differences: await comparison.differences(differing, planned.lock) };
    },
    new Warnings(reporter),
    signal,
  );
}
