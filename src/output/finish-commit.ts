import { lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, FILLED, unless } from './errno.js';
import { explain } from './explain.js';
import { readJournal } from './journal.js';
import { LOCK_FILE, type Places } from './places.js';
import { Inside } from './symlinks.js';
import { syncFoldersOf } from './sync.js';
import { together } from './together.js';

/**
 * Does what the journal says, if there is one, from wherever an earlier try was stopped: each step can be done again.
 * Tells whether there was one.
 */
export async function finishCommit(places: Places): Promise<boolean> {
  const changes = await readJournal(places);
  if (!changes) return false;
  const all = [...changes.writes, ...changes.deletes].map((path) => join(places.folder, path));
  const inside = new Inside(places.root);
  await together(all, (path) => inside.assert(path));

  const writes = changes.writes.filter((path) => path !== LOCK_FILE);
  for (const path of writes) await step(places, path, () => move(places, path));
  for (const path of changes.deletes) await step(places, path, () => remove(places, path));
  // Last, so that the lock file never lists what isn't there yet.
  if (writes.length < changes.writes.length) await step(places, LOCK_FILE, () => move(places, LOCK_FILE));
  await step(places, '', async () => {
    await syncFoldersOf(all, places.root);
    await unlink(places.journal);
  });
  return true;
}

async function step(places: Places, path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw unfinished(error, join(places.folder, path));
  }
}

async function move(places: Places, path: string): Promise<void> {
  const staged = join(places.files, path);
  const target = join(places.folder, path);
  const moved = await unless(
    ABSENT,
    rename(staged, target).then(() => true),
  );
  if (moved) return;
  // Either an earlier try has moved it, or its folder isn't there yet.
  if (!(await unless(ABSENT, lstat(staged)))) return;
  await mkdir(dirname(target), { recursive: true });
  await rename(staged, target);
}

async function remove(places: Places, path: string): Promise<void> {
  await unless(ABSENT, unlink(join(places.folder, path)));
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    await unless([...ABSENT, ...FILLED], rmdir(join(places.folder, parent)));
  }
}

function unfinished(error: unknown, where: string): unknown {
  const known = explain(error, where);
  if (!(known instanceof UserError)) return known;
  return new UserError(known.message, {
    where,
    details: ['the folder is written in part: the next gymgen command on this Gym root finishes it'],
    ...(known.fix !== undefined && { fix: `${known.fix}, and run again` }),
    cause: error,
  });
}
