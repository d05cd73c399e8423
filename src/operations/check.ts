import { Comparison } from '../check/comparison.js';
import type { FileDifference } from '../check/difference.js';
import type { Reporter } from '../discover/index.js';
import { assertFinished, type Planned, planFolder } from '../output/index.js';
import { type Generated, type GenerateRequest, generate } from './generate.js';
import { Warnings } from './warnings.js';

export interface CheckReport extends Generated, Planned {
  /** Every file that is not as it would be written, with what differs in it. */
  differences: FileDifference[];
}

/**
 * Generates the folder again, in memory, and compares it with what is there. Writes nothing, anywhere.
 * @throws UserError where it can't tell: what is asked can't be reached, or the folder is not gymgen's
 */
export async function check(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  await assertFinished(request.gymRoot);
  return generate(
    { ...request, dropPrompts: true },
    async (target, files, record) => {
      const comparison = new Comparison(target);
      // What a hand edit would become is not asked here: `keep` is the plan that touches none.
      const planned = await planFolder(target, comparison.watch(files), record, { edits: 'keep', signal });
      const differing = planned.plan.entries.filter(({ state }) => state !== 'same');
      return { ...planned, differences: await comparison.differences(differing, planned.lock) };
    },
    new Warnings(reporter),
    signal,
  );
}
