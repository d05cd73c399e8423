import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ABSENT, makeFolders, unless } from '../files.js';
import { cleanOnForcedExit } from '../shutdown.js';
import { explained } from './explain.js';
import { finishCommit } from './finish-commit.js';
import { readJournal } from './journal.js';
import type { Places } from './places.js';
import { removeEmpty } from './remove-empty.js';
import { emptyStaging, removeStaging } from './remove-staging.js';
import { type RunLock, runningOwner, takeRunLock } from './run-lock.js';

/** Runs `work` with a staging folder of its own, and leaves none, nor a Gym root that was made for nothing. */
export async function withStaging<T>(places: Places, work: (runLock: RunLock) => Promise<T>): Promise<T> {
  // Before anything is changed
  await explained(places.staging, async () => {
    if (!(await runningOwner(places))) await readJournal(places);
  });
  const made = await explained(places.root, () => makeFolders(places.root));
  let release = () => {};
  try {
    const runLock = await explained(places.staging, () => takeRunLock(places));
    release = cleanOnForcedExit(() => discard(places, made));
    return await withRunLock(places, runLock, work);
  } catch (error) {
    await removeMade(places, made).catch(() => undefined);
    throw error;
  } finally {
    release();
  }
}

async function withRunLock<T>(places: Places, runLock: RunLock, work: (lock: RunLock) => Promise<T>): Promise<T> {
  let result: T;
  try {
    // What a dead run left: its commit, or files of no use.
    await explained(places.staging, async () => {
      await finishCommit(places);
      await emptyStaging(places);
      await mkdir(places.files);
    });
    result = await work(runLock);
  } catch (error) {
    // The first failure is the one to tell; what this one leaves, the next command cleans up.
    await leave(places, runLock).catch(() => undefined);
    throw error;
  }
  await explained(places.staging, () => leave(places, runLock));
  return result;
}

async function leave(places: Places, runLock: RunLock): Promise<void> {
  if (!(await runLock.isHeld())) return;
  const unfinished = await unless(ABSENT, lstat(places.journal));
  await (unfinished ? runLock.release() : removeStaging(places));
}

/** What `leave` and `removeMade` do, at once. A commit that has begun is left for the next command to finish. */
function discard(places: Places, made: string | undefined): void {
  if (existsSync(places.journal)) return;
  rmSync(places.files, { recursive: true, force: true });
  for (const file of [places.draft, places.permit, places.owner]) rmSync(file, { force: true });
  rmdirSync(places.staging); // fails if it holds something else, which stays
  rmdirSync(places.gymgen);
  if (made === undefined) return;
  for (let at = resolve(places.root); ; at = dirname(at)) {
    rmdirSync(at);
    if (at === resolve(made)) return;
  }
}

/** Removes what was made on the way, as far as it is empty: no other run's, and nothing of the user. */
async function removeMade(places: Places, made: string | undefined): Promise<void> {
  if (!(await removeEmpty(places.staging)) || !(await removeEmpty(places.gymgen)) || made === undefined) return;
  for (let at = resolve(places.root); await removeEmpty(at); at = dirname(at)) {
    if (at === resolve(made)) return;
  }
}
