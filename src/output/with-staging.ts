import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cleanOnForcedExit } from '../shutdown.js';
import { createFolder, createFolders, exists, removeEmptyFolder } from './fs.js';
import type { Places } from './paths.js';
import { type RunLock, runningOwner, takeRunLock } from './run-lock.js';
import { emptyStaging, removeStaging } from './stage.js';

/** How a run handles the leftovers of a dead run. */
export interface Recovery {
  /** Throws if the leftovers cannot be completed. Called before anything is changed. */
  check(places: Places): Promise<unknown>;
  /** Completes or undoes the commit of a dead run. */
  complete(places: Places): Promise<unknown>;
}

/** Runs `work` with a staging folder, and removes it afterwards. If `work` fails, also removes a root created for it. */
export async function withStaging<T>(
  places: Places,
  recovery: Recovery,
  work: (runLock: RunLock) => Promise<T>,
): Promise<T> {
  if (!(await runningOwner(places))) await recovery.check(places);
  const created = await createFolders(places.root);
  let release = () => {};
  try {
    const runLock = await takeRunLock(places);
    release = cleanOnForcedExit(() => discardStaging(places, created));
    return await withRunLock(places, runLock, recovery, work);
  } catch (error) {
    await removeCreated(places, created).catch(() => undefined);
    throw error;
  } finally {
    release();
  }
}

async function withRunLock<T>(
  places: Places,
  runLock: RunLock,
  recovery: Recovery,
  work: (lock: RunLock) => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    await recovery.complete(places);
    await emptyStaging(places);
    await createFolder(places.files);
    result = await work(runLock);
  } catch (error) {
    // The first failure is reported. The next command cleans up after the second.
    await leaveStaging(places, runLock).catch(() => undefined);
    throw error;
  }
  await leaveStaging(places, runLock);
  return result;
}

/** Removes the staging folder, unless it has a commit to be completed by another run. */
async function leaveStaging(places: Places, runLock: RunLock): Promise<void> {
  if (!(await runLock.isHeld())) return;
  await ((await exists(places.journal)) ? runLock.release() : removeStaging(places));
}

/** Removes the folders that this run has created, if they are empty. */
async function removeCreated(places: Places, created: string | undefined): Promise<void> {
  if (!(await removeEmptyFolder(places.staging)) || !(await removeEmptyFolder(places.gymgen))) return;
  for (const folder of createdFolders(places, created)) if (!(await removeEmptyFolder(folder))) return;
}

/** `leaveStaging` and `removeCreated` without waiting. */
function discardStaging(places: Places, created: string | undefined): void {
  if (existsSync(places.journal)) return;
  rmSync(places.files, { recursive: true, force: true });
  for (const file of [places.journalDraft, places.discardPermit, places.owner]) rmSync(file, { force: true });
  // The first folder that is not empty stops this.
  for (const folder of [places.staging, places.gymgen, ...createdFolders(places, created)]) rmdirSync(folder);
}

/** The Gym root and the folders above it, up to the first one that was created. */
function createdFolders({ root }: Places, first: string | undefined): string[] {
  const folders: string[] = [];
  if (first === undefined) return folders;
  for (let at = resolve(root); folders.at(-1) !== resolve(first); at = dirname(at)) folders.push(at);
  return folders;
}
