import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { explained } from './explain.js';
import { finishCommit } from './finish-commit.js';
import { type Changes, writeJournal } from './journal.js';
import type { Places } from './places.js';
import type { RunLock } from './run-lock.js';
import { Inside } from './symlinks.js';
import { syncFiles, syncFoldersOf } from './sync.js';
import { together } from './together.js';
import { assertWritable } from './writable.js';

/** Puts the staged files in place. What could stop that halfway is looked for first, and an abort counts until then. */
export async function commit(places: Places, changes: Changes, lock: RunLock, signal: AbortSignal): Promise<void> {
  const { device } = await assertWritable(places.files);
  const targets = [...changes.writes, ...changes.deletes].map((path) => join(places.folder, path));
  const inside = new Inside(places.root);
  await together(targets, (target) => explained(target, () => inside.assert(target)));
  for (const folder of new Set(targets.map(dirname))) {
    const parent = await assertWritable(folder);
    if (parent.device !== device) throw otherFileSystem(parent.path, places.root);
  }
  const staged = changes.writes.map((path) => join(places.files, path));
  await explained(places.staging, async () => {
    await syncFiles(staged);
    await syncFoldersOf(staged, places.staging);
    await lock.assertHeld();
    signal.throwIfAborted();
    await writeJournal(places, changes);
  });
  await finishCommit(places);
}

function otherFileSystem(where: string, root: string): UserError {
  return new UserError('a folder to write is on another file system than its Gym root', {
    where,
    fix: `mount ${root} as a whole, so that files can be put in place in one step`,
  });
}
