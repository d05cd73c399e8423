import { lstat, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, FILLED, makeFolders, unless } from '../files.js';
import { explain } from './explain.js';
import { hashFile } from './hash-file.js';
import { type Commit, readJournal } from './journal.js';
import { LOCK_FILE, type Places } from './places.js';
import { assertStaging } from './staging-folder.js';
import { Inside } from './symlinks.js';
import { syncFoldersOf } from './sync.js';
import { together } from './together.js';

/**
 * Completes the commit that an earlier process began.
 * @returns false if there is none
 * @throws UserError if this user did not begin it, or if a staged file is not as it was
 */
export async function finishCommit(places: Places): Promise<boolean> {
  await assertStaging(places);
  const commit = await readJournal(places);
  if (!commit) return false;
  const inside = new Inside(places.root);
  await together(commit.writes, (write) => assertStaged(places, write, inside));
  await applyCommit(places, commit, true);
  return true;
}

/**
 * Makes the changes of a commit whose journal is written. Each step can be repeated, so an earlier try may have stopped anywhere.
 * @param isSigned whether a later process can complete the commit
 */
export async function applyCommit(places: Places, commit: Commit, isSigned: boolean): Promise<void> {
  const { folder, files, root } = places;
  const all = [...commit.writes.map(({ path }) => path), ...commit.deletes].map((path) => join(folder, path));
  const inside = new Inside(root);
  const staged = commit.writes.map(({ path }) => join(files, path));
  await together([...staged, ...all], (path) => inside.assert(path));

  const step = async (path: string, act: () => Promise<void>) => {
    await act().catch((error: unknown) => {
      throw unfinished(error, join(folder, path), places, isSigned);
    });
  };
  const isLock = ({ path }: { path: string }) => path === LOCK_FILE;
  for (const { path } of commit.writes.filter((write) => !isLock(write))) await step(path, () => move(places, path));
  for (const path of commit.deletes) await step(path, () => remove(places, path));
  // Last, so that the lock file never lists what isn't there yet.
  if (commit.writes.some(isLock)) await step(LOCK_FILE, () => move(places, LOCK_FILE));
  await step('', async () => {
    await syncFoldersOf(all, root);
    await unlink(places.journal);
  });
}

/** @throws UserError if the staged file is not the one that the journal was written for; one that was moved already is fine */
async function assertStaged(
  { files, staging }: Places,
  { path, hash }: Commit['writes'][number],
  inside: Inside,
): Promise<void> {
  const staged = join(files, path);
  await inside.assert(staged);
  const stat = await unless(ABSENT, lstat(staged));
  if (!stat || (stat.isFile() && (await hashFile(staged)) === hash)) return;
  throw new UserError('a staged file has changed since the write was interrupted', {
    where: staged,
    fix: `remove ${staging}, then write the folder again with --force`,
  });
}

async function move({ files, folder }: Places, path: string): Promise<void> {
  const staged = join(files, path);
  const target = join(folder, path);
  const stat = await unless(ABSENT, lstat(staged));
  if (!stat) return; // an earlier try has moved it
  if (!stat.isFile()) throw new UserError('not a regular file', { where: staged, fix: 'remove it' });
  const moved = await unless(
    ABSENT,
    rename(staged, target).then(() => true),
  );
  if (moved) return;
  await makeFolders(dirname(target));
  await rename(staged, target);
}

async function remove({ folder }: Places, path: string): Promise<void> {
  await unless(ABSENT, unlink(join(folder, path)));
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    await unless([...ABSENT, ...FILLED], rmdir(join(folder, parent)));
  }
}

function unfinished(error: unknown, where: string, { staging }: Places, isSigned: boolean): unknown {
  const known = explain(error, where);
  if (!(known instanceof UserError)) return known;
  const again = isSigned ? 'run again' : `remove ${staging}, and write the folder again with --force`;
  const rest = 'the next gymgen command that writes to this Gym root completes it';
  return new UserError(known.message, {
    where: known.where ?? where,
    details: [`the folder is partly written${isSigned ? `: ${rest}` : ''}`],
    fix: known.fix === undefined ? again : `${known.fix}, and ${again}`,
    cause: error,
  });
}
