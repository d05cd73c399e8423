import { join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { gymgenCommand } from '../printed-command.js';
import { explained } from './explain.js';
import { finishCommit } from './finish-commit.js';
import { readJournal } from './journal.js';
import type { Places } from './places.js';
import { removeEmpty } from './remove-empty.js';
import { removeStaging } from './remove-staging.js';
import { runningOwner, Taken, taken, takeRunLock } from './run-lock.js';
import { assertStaging, stagingFolders } from './staging-folder.js';
import { isRealFolder } from './symlinks.js';
import { isAbsent } from './writable.js';

/** By Gym root: the jobs of a batch come at once, and must not find what one of them is finishing taken. */
const underWay = new Map<string, Promise<string[]>>();

/**
 * Completes every interrupted commit on this Gym root, and cleans up after dead runs. Every command that writes calls it first.
 * @returns the names of the folders that were completed
 * @throws UserError if somebody else began one: then nothing is changed
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
  for (const places of await foundIn(gymRoot)) {
    if (await runningOwner(places)) continue;
    await readJournal(places); // before anything is changed
    dead.push(places);
  }
  const finished: string[] = [];
  for (const places of dead) {
    if (await explained(places.staging, () => finishDead(places))) finished.push(places.name);
  }
  const gymgen = join(gymRoot, '.gymgen');
  await explained(gymgen, async () => (await isRealFolder(gymgen)) && (await removeEmpty(gymgen)));
  return finished;
}

/**
 * For commands that write nothing.
 * @throws UserError if a commit is under way or was interrupted: a part of its folder is new, the rest old
 */
export async function assertFinished(gymRoot: string): Promise<void> {
  for (const places of await foundIn(gymRoot)) await assertNoCommit(places);
}

/** The same for one folder. */
export async function assertNoCommit(places: Places): Promise<void> {
  if (!(await assertStaging(places)) || (await isAbsent(places.journal))) return;
  const owner = await runningOwner(places);
  if (owner) throw taken(places, owner);
  if (!(await readJournal(places))) return; // completed meanwhile
  throw new UserError('a write to this folder was interrupted', {
    where: places.folder,
    fix: `complete it: ${gymgenCommand`update ${places.root} --name ${places.name}`}`,
  });
}

function foundIn(gymRoot: string): Promise<Places[]> {
  return explained(gymRoot, () => stagingFolders(gymRoot));
}

async function finishDead(places: Places): Promise<boolean> {
  // An empty one may belong to a run that is about to take it, and makes it again.
  if (await removeEmpty(places.staging)) return false;
  const lock = await takeRunLock(places).catch((error: unknown) => {
    if (error instanceof Taken) return undefined; // and is finishing it
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
