import { rm, unlink } from 'node:fs/promises';
import { ABSENT, unless } from '../files.js';
import type { Places } from './places.js';
import { removeEmpty } from './remove-empty.js';

/**
 * Removes all that gymgen stages, and nothing else: the folder may have come with a repository, and hold files of the user. Only
 * for the run that holds the run lock, which stays.
 */
export async function emptyStaging({ files, draft, permit }: Places): Promise<void> {
  await rm(files, { recursive: true, force: true }); // removes symlinks, and follows none
  for (const file of [draft, permit]) await unless(ABSENT, unlink(file));
}

/** Removes the staging folder of a run. The run lock goes last, since from then on another run may come. */
export async function removeStaging(places: Places): Promise<void> {
  await emptyStaging(places);
  await unless(ABSENT, unlink(places.owner));
  await removeEmpty(places.staging);
  await removeEmpty(places.gymgen);
}
