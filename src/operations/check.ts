import { Comparison } from '../check/comparison.js';
import { unlistedFiles } from '../check/unlisted-files.js';
import { ToolsDiffer } from '../discover/index.js';
import { namesOf } from '../gym/index.js';
import { assertFinished, planFolder } from '../output/index.js';
import type { Reporter } from '../reporter.js';
import type { CheckReport } from './check-report.js';
import { differingTools } from './differing-tools.js';
import { formerFolders } from './former-folders.js';
import { type GenerateRequest, generate } from './generate.js';
import { Warnings } from './warnings.js';

export type { CheckReport, KeptFile } from './check-report.js';

/**
 * Generates a folder in memory and compares it with the existing one. Writes nothing.
 * @throws UserError if the source cannot be read, or if gymgen did not write the folder
 */
export async function check(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  await assertFinished(request.gymRoot);
  let { name } = request;
  const claim = (found: string) => {
    name = found;
    request.claim?.(found);
  };
  try {
    return await compare({ ...request, claim }, reporter, signal);
  } catch (error) {
    if (!(error instanceof ToolsDiffer) || name === undefined) throw error;
    const report = await differingTools(request, name, error);
    if (!report) throw error;
    return report;
  }
}

function compare(request: GenerateRequest, reporter: Reporter, signal: AbortSignal): Promise<CheckReport> {
  return generate(
    { ...request, dropPrompts: true, readOnly: true, trustRecording: true },
    async (target, files, record) => {
      const comparison = new Comparison(target);
      // `keep` is the plan that does not touch edited files.
      const planned = await planFolder(target, comparison.watch(files), record, { edits: 'keep', signal });
      const { entries } = planned.plan;
      const differing = entries.filter(({ state }) => state !== 'same');
      const paths = entries.map(({ path }) => path);
      return {
        ...planned,
        differences: await comparison.differences(differing, planned.lock),
        keptFiles: entries.flatMap(({ path, state, note }) => (state === 'same' && note ? [{ path, note }] : [])),
        unlisted: await unlistedFiles(planned.folder, paths, namesOf(target.name).config),
        former: await formerFolders(request, target.name, sourceIn(planned.lock)),
      };
    },
    new Warnings(reporter),
    signal,
  );
}

function sourceIn(lock: string): unknown {
  return (JSON.parse(lock) as { source?: unknown }).source;
}
