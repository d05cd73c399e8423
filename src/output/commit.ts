import type { Stats } from 'node:fs';
import { lstat, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { FILLED, makeFolders, unless } from '../files.js';
import { holdExit } from '../shutdown.js';
import { explained } from './explain.js';
import { applyCommit } from './finish-commit.js';
import { type Changes, writeJournal } from './journal.js';
import type { Places } from './places.js';
import type { RunLock } from './run-lock.js';
import type { Staging } from './staging.js';
import { Inside } from './symlinks.js';
import { syncFoldersOf } from './sync.js';
import { together } from './together.js';
import { assertWritable, isAbsent } from './writable.js';

export interface CommitParts {
  places: Places;
  staging: Staging;
  changes: Changes;
  /** The hash of a staged file, by its path in the folder. */
  hashOf: (path: string) => string;
  lock: RunLock;
  signal: AbortSignal;
}

/** Puts the staged files in place. What could stop that halfway is looked for first, and an abort counts until then. */
export async function commit({ places, staging, changes, hashOf, lock, signal }: CommitParts): Promise<void> {
  const { folder } = places;
  const prepare = async (targets: string[]) => {
    await assertPossible(places, targets);
    await explained(places.staging, async () => {
      await staging.sync(changes.writes);
      await lock.assertHeld();
    });
    signal.throwIfAborted();
  };
  const isNew = await isAbsent(folder);
  await prepare(isNew ? [folder] : targetsOf(places, changes));
  const release = holdExit(`the commit of ${basename(folder)} to finish`);
  try {
    if (isNew && (await moveFolder(places))) return;
    if (isNew) await prepare(targetsOf(places, changes));
    const writes = changes.writes.map((path) => ({ path, hash: hashOf(path) }));
    const journal = { writes, deletes: changes.deletes };
    const isSigned = await explained(places.staging, () => writeJournal(places, journal));
    await applyCommit(places, journal, isSigned);
  } finally {
    release();
  }
}

function targetsOf({ folder }: Places, { writes, deletes }: Changes): string[] {
  return [...writes, ...deletes].map((path) => join(folder, path));
}

/** @throws UserError if one of the targets cannot be written, is below a symlink, or is not on the file system of the staged files */
async function assertPossible(places: Places, targets: readonly string[]): Promise<void> {
  const { device } = await assertWritable(places.files);
  const inside = new Inside(places.root);
  await together(targets, (target) => explained(target, () => inside.assert(target)));
  for (const folder of new Set(targets.map(dirname))) {
    const parent = await assertWritable(folder);
    if (parent.device !== device) throw otherFileSystem(parent.path, places.root);
  }
}

/**
 * A folder that wasn't there, in one step.
 * @returns false where something has come there meanwhile, the folder would be of another group than what is made there, or the
 * file system doesn't move folders: nothing was done, then
 */
async function moveFolder({ root, files, folder }: Places): Promise<boolean> {
  return explained(folder, async () => {
    await makeFolders(dirname(folder));
    const [staged, parent] = await Promise.all([lstat(files), stat(dirname(folder))]);
    if (groupIn(staged) !== groupIn(parent)) return false;
    const done = rename(files, folder).then(() => true);
    const moved = (await unless([...FILLED, 'ENOTDIR', 'EXDEV', 'EPERM'], done)) ?? false;
    if (moved) await syncFoldersOf([folder, files], root);
    return moved;
  });
}

const SETGID = 0o2000;

/** The group of what is made in a folder, where the folder decides that. */
function groupIn({ mode, gid }: Stats): number | undefined {
  return (mode & SETGID) === 0 ? undefined : gid;
}

function otherFileSystem(where: string, root: string): UserError {
  return new UserError('a folder to write is on another file system than its Gym root', {
    where,
    fix: `mount ${root} as a whole, so that files can be put in place in one step`,
  });
}
