import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertTarget } from './assert-target.js';
import { changesOf } from './changes-of.js';
import { commit } from './commit.js';
import { draftFolder } from './draft-folder.js';
import { explained } from './explain.js';
import { LOCK_FILE, placesOf } from './places.js';
import { refuseEdited } from './refuse-edited.js';
import type { JsonValue, OutputFile, Plan } from './types.js';
import { withStaging } from './with-staging.js';

export interface Target {
  gymRoot: string;
  name: string;
}

export interface WriteOptions {
  /** Take gymgen's version of files that were edited by hand. */
  force?: boolean;
  /** Plan only: nothing is written anywhere, and files edited by hand are no error. */
  dryRun?: boolean;
  signal: AbortSignal;
}

export interface Written {
  plan: Plan;
  /** Whether the folder differed from what was generated; nothing in it is touched where it didn't. */
  changed: boolean;
  folder: string;
}

/**
 * Makes a folder of the Gym root what `files` say: wholly, or not at all.
 * @param record what the lock file says of the run; asked for after the last file
 * @throws UserError where the target can't be written, or holds what the user made or edited
 * @throws the signal's reason once it is aborted: before the commit nothing was changed, after it the commit is complete
 */
export async function writeFolder(
  target: Target,
  files: AsyncIterable<OutputFile>,
  record: () => Record<string, JsonValue>,
  options: WriteOptions,
): Promise<Written> {
  const { force = false, dryRun = false, signal } = options;
  const places = placesOf(target.gymRoot, target.name);
  const { folder } = places;
  signal.throwIfAborted();
  await assertTarget(places, dryRun);

  if (dryRun) {
    const { plan } = await draftFolder({ places, files, record, signal });
    signal.throwIfAborted();
    return { plan, changed: plan.entries.some((entry) => entry.state !== 'same'), folder };
  }
  const written = await withStaging(places, async (runLock) => {
    const { plan, generated, lock } = await draftFolder({ places, files, record, signal, into: places.files });
    if (!force) refuseEdited(plan, folder);
    const changes = changesOf(plan, generated);
    const changed = changes.writes.length + changes.deletes.length > 0;
    if (changed) {
      const staged = join(places.files, LOCK_FILE);
      await explained(staged, () => writeFile(staged, lock));
      await commit(places, changes, runLock, signal);
    }
    return { plan, changed, folder };
  });
  signal.throwIfAborted();
  return written;
}
