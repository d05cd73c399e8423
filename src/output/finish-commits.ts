import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { gymgenCommand } from '../printed-command.js';
import { ABSENT, unless } from './errno.js';
import { explained } from './explain.js';
import { finishCommit } from './finish-commit.js';
import { isName, type Places, placesOf } from './places.js';
import { removeEmpty } from './remove-empty.js';
import { removeStaging } from './remove-staging.js';
import { runningOwner, Taken, takeRunLock } from './run-lock.js';
import { Inside } from './symlinks.js';

/** By Gym root: the jobs of a batch come at once, and must not find what one of them is finishing taken. */
const underWay = new Map<string, Promise<string[]>>();

/**
 * Finishes every commit on this Gym root that was interrupted after its journal, and cleans up after dead runs. Every
 * command calls it first. Tells the names of the folders that it made whole.
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
  const gymgen = join(gymRoot, '.gymgen');
  const entries = await explained(gymgen, () => unless(ABSENT, readdir(gymgen, { withFileTypes: true })));
  if (!entries) return [];
  const names = entries.filter((entry) => entry.isDirectory() && isName(entry.name)).map((entry) => entry.name);
  const finished: string[] = [];
  for (const name of names.sort()) {
    const places = placesOf(gymRoot, name);
    if (await explained(places.staging, () => finishDead(places))) finished.push(name);
  }
  await explained(gymgen, () => removeEmpty(gymgen));
  return finished;
}

/**
 * For commands that write nothing.
 * @throws UserError where a commit was interrupted after its journal, or is under way: the folder is old in part
 */
export async function assertFinished(gymRoot: string): Promise<void> {
  const gymgen = join(gymRoot, '.gymgen');
  const names = (await explained(gymgen, () => unless(ABSENT, readdir(gymgen)))) ?? [];
  for (const name of names.filter(isName)) {
    const places = placesOf(gymRoot, name);
    if ((await unless(ABSENT, lstat(places.journal))) === undefined) continue;
    throw new UserError('the folder is being written, or its writing was interrupted', {
      where: places.folder,
      fix: `wait for that run, or finish what it began: ${gymgenCommand`update ${gymRoot}`}`,
    });
  }
}

async function finishDead(places: Places): Promise<boolean> {
  if (await runningOwner(places)) return false;
  await new Inside(places.root).assert(places.staging);
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
