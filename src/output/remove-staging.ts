import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Places } from './places.js';
import { removeEmpty } from './remove-empty.js';

/** Removes all that is staged. Only for the run that holds the run lock, which stays. */
export async function emptyStaging(places: Places): Promise<void> {
  for (const entry of await readdir(places.staging)) {
    if (entry !== basename(places.owner)) await rm(join(places.staging, entry), { recursive: true, force: true });
  }
}

/** Leaves nothing of a run: the run lock goes last, since from then on another run may come. */
export async function removeStaging(places: Places): Promise<void> {
  await emptyStaging(places);
  await rm(places.owner, { force: true });
  await removeEmpty(places.staging);
  await removeEmpty(places.gymgen);
}
