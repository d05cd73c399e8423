import { join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { gymgenCommand } from '../printed-command.js';
import { applyJournal, type Journal, readJournal } from './commit.js';
import { exists, look, mapConcurrent, removeEmptyFolder } from './fs.js';
import { hashFile } from './hash.js';
import { isRealFolder, LinkGuard } from './link-guard.js';
import { assertStaging, discardStagingFix, type Places, stagingFolders } from './paths.js';
import { LockHeldError, runningOwner, takeRunLock } from './run-lock.js';
import { removeStaging, stagedPath } from './stage.js';

/** By Gym root. The jobs of a batch start together; one of them must not report another's recovery as a held lock. */
const underWay = new Map<string, Promise<string[]>>();

/**
 * Completes every interrupted commit on this Gym root, and cleans up after dead runs. Every command that writes calls it first.
 * @returns the names of the folders that were completed
 * @throws UserError if another user started one; then nothing is changed
 */
export async function finishCommits(gymRoot: string): Promise<string[]> {
  const root = resolve(gymRoot);
  const other = underWay.get(root);
  if (other) return other.then(() => []);
  const own = finishAll(gymRoot).finally(() => underWay.delete(root));
  underWay.set(root, own);
  return own;
}

async function finishAll(gymRoot: string): Promise<string[]> {
  const dead: Places[] = [];
  for (const places of await stagingFolders(gymRoot)) {
    if (await runningOwner(places)) continue;
    await readJournal(places); // before anything is changed
    dead.push(places);
  }
  const finished: string[] = [];
  for (const places of dead) if (await finishDead(places)) finished.push(places.name);
  const gymgen = join(gymRoot, '.gymgen');
  if (await isRealFolder(gymgen)) await removeEmptyFolder(gymgen);
  return finished;
}

async function finishDead(places: Places): Promise<boolean> {
  // An empty staging folder may belong to a run that is about to take it, and that run creates it again.
  if (await removeEmptyFolder(places.staging)) return false;
  const lock = await takeRunLock(places).catch((error: unknown) => {
    if (error instanceof LockHeldError) return undefined; // another process finishes it
    throw error;
  });
  if (!lock) return false;
  try {
    const finished = await finishCommit(places);
    await removeStaging(places);
    return finished;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Completes the commit that an earlier process started. Only for the run that holds the run lock.
 * @returns false if there is none
 * @throws UserError if this user did not start the commit, or if a staged file has changed since
 */
export async function finishCommit(places: Places): Promise<boolean> {
  await assertStaging(places);
  const journal = await readJournal(places);
  if (!journal) return false;
  const links = new LinkGuard(places.root);
  await mapConcurrent(journal.writes, (write) => assertStaged(places, write, links));
  await applyJournal(places, journal, true);
  return true;
}

/**
 * A missing staged file counts as already moved.
 * @throws UserError if a staged file is not the one that the journal was written for
 */
async function assertStaged(
  places: Places,
  { path, hash }: Journal['writes'][number],
  links: LinkGuard,
): Promise<void> {
  const staged = stagedPath(places, path);
  await links.assert(staged);
  const found = await look(staged);
  if (!found || (found.isFile() && (await hashFile(staged)) === hash)) return;
  throw new UserError('staged file has changed since the write was interrupted', {
    where: staged,
    fix: discardStagingFix(places),
  });
}

/**
 * For commands that write nothing.
 * @throws UserError if a commit on this Gym root is under way or was interrupted: its folder is partly new and partly old
 */
export async function assertFinished(gymRoot: string): Promise<void> {
  for (const places of await stagingFolders(gymRoot)) await assertNoCommit(places);
}

/** @throws UserError if a commit on this folder is under way or was interrupted */
export async function assertNoCommit(places: Places): Promise<void> {
  if (!(await assertStaging(places)) || !(await exists(places.journal))) return;
  const owner = await runningOwner(places);
  if (owner) throw new LockHeldError(places, owner);
  if (!(await readJournal(places))) return; // completed meanwhile
  throw new UserError('a write to this folder was interrupted', {
    where: places.folder,
    fix: `complete it: ${gymgenCommand`update ${places.root} --name ${places.name}`}`,
  });
}
