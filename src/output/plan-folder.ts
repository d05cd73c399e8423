import type { Edits, JsonValue, OutputFile, Target, Written } from '../model.js';
import { assertTarget } from './assert-target.js';
import { draftFolder } from './draft-folder.js';
import { explained } from './explain.js';
import { assertNoCommit } from './finish-commits.js';
import { placesOf } from './places.js';

export interface Planned extends Written {
  /** The text that the lock file would have. */
  lock: string;
}

/**
 * What a write would do to a folder of the Gym root. Nothing is written anywhere, and files edited by hand are no error.
 * @throws UserError if the target could not be written, is not gymgen's, or has an interrupted write
 */
export async function planFolder(
  target: Target,
  files: AsyncIterable<OutputFile>,
  record: () => Record<string, JsonValue>,
  { edits, signal }: { edits: Edits; signal: AbortSignal },
): Promise<Planned> {
  const places = placesOf(target.gymRoot, target.name);
  signal.throwIfAborted();
  await assertTarget(places, true);
  await explained(places.staging, () => assertNoCommit(places));
  const { plan, lock } = await draftFolder({ places, files, record, edits, signal });
  signal.throwIfAborted();
  return { plan, lock, changed: plan.entries.some((entry) => entry.state !== 'same'), folder: places.folder };
}
