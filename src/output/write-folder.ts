import { writeFile } from 'node:fs/promises';
import type { Edits, JsonValue, OutputFile, Target, Written } from '../model.js';
import { assertTarget } from './assert-target.js';
import { changesOf } from './changes-of.js';
import { commit } from './commit.js';
import { draftFolder } from './draft-folder.js';
import { explained } from './explain.js';
import { hashText } from './hash-text.js';
import { LOCK_FILE, placesOf } from './places.js';
import { planFolder } from './plan-folder.js';
import { refuseEdited } from './refuse-edited.js';
import { Staging } from './staging.js';
import { withStaging } from './with-staging.js';
import { isAbsent } from './writable.js';

export interface WriteOptions {
  /** What becomes of files that were edited by hand; the run stops by default. */
  edits?: Edits;
  /** Plan only: nothing is written anywhere, and files edited by hand are no error. */
  dryRun?: boolean;
  signal: AbortSignal;
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
  const { edits = 'refuse', dryRun = false, signal } = options;
  const places = placesOf(target.gymRoot, target.name);
  const { folder } = places;
  if (dryRun) {
    const { lock: _, ...planned } = await planFolder(target, files, record, { edits, signal });
    return planned;
  }
  signal.throwIfAborted();
  await assertTarget(places, false);

  const written = await withStaging(places, async (runLock) => {
    const isNew = await isAbsent(folder);
    const staging = new Staging(places.files, isNew);
    try {
      const { plan, generated, lock } = await draftFolder({ places, files, record, edits, signal, into: staging });
      if (edits === 'refuse') refuseEdited(plan, folder);
      const changes = changesOf(plan, generated, edits);
      const changed = changes.writes.length + changes.deletes.length > 0;
      if (changed) {
        const staged = staging.place(LOCK_FILE);
        await explained(staged, () => writeFile(staged, lock, { flag: 'wx' }));
        const hashOf = (path: string) => generated.get(path)?.full ?? hashText(lock);
        await commit({ places, staging, changes, hashOf, lock: runLock, signal });
      }
      return { plan, changed, folder };
    } finally {
      await staging.settled();
    }
  });
  signal.throwIfAborted();
  return written;
}
