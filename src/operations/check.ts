import { Comparison } from '../check/comparison.js';
import type { FileDifference } from '../check/difference.js';
import { unlistedFiles } from '../check/unlisted-files.js';
import type { Reporter } from '../discover/index.js';
import { namesOf } from '../gym/index.js';
import { assertFinished, type Planned, planFolder } from '../output/index.js';
import { type Generated, type GenerateRequest, generate } from './generate.js';
import { Warnings } from './warnings.js';

export interface CheckReport extends Generated, Planned {
  /** Every file that differs from what is generated. */
  differences: FileDifference[];
  /** Files that the user keeps against gymgen's version, or with edited prompts. They are not differences. */
  keptFiles: KeptFile[];
  /** Files in the folders of gymgen that it did not write, such as rows of no known split. */
  unlisted: string[];
}

export interface KeptFile {
  path: string;
  /** Such as `kept as you edited it`. */
  note: string;
}

/**
 * Generates a folder in memory and compares it with the existing one. Writes nothing.
 * @throws UserError if the source cannot be read, or if gymgen did not write the folder
 */
export async function check(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  await assertFinished(request.gymRoot);
  return generate(
    { ...request, dropPrompts: true, readOnly: true, trustRecording: true },
    async (target, files, record) => {
      const comparison = new Comparison(target);
      // `keep` is the plan that does not touch edited files.
      const planned = await planFolder(target, comparison.watch(files), record, { edits: 'keep', signal });
      const differing = planned.plan.entries.filter(({ state }) => state !== 'same');
      const { entries } = planned.plan;
      return {
        ...planned,
        differences: await comparison.differences(differing, planned.lock),
        keptFiles: entries.flatMap(({ path, state, note }) => (state === 'same' && note ? [{ path, note }] : [])),
        unlisted: await unlistedFiles(
          planned.folder,
          entries.map(({ path }) => path),
          namesOf(target.name).config,
        ),
      };
    },
    new Warnings(reporter),
    signal,
  );
}
