import { readdir } from 'node:fs/promises';
import { UserError } from '../errors.js';
import { unless } from '../files.js';
import { explained } from './explain.js';
import { LOCK_FILE, type Places } from './places.js';
import { assertStaging } from './staging-folder.js';
import { Inside } from './symlinks.js';
import { assertWritable, nearestFolder } from './writable.js';

/** What Gym and Python leave where a folder was: `git switch` takes tracked files away and keeps these. */
const LEFT_BEHIND = /^(\.venv|__pycache__|\.pytest_cache|\.ruff_cache|.*\.egg-info|\.DS_Store)$/;

/** @throws UserError if the folder or its staging folder cannot be written, or is below a symlink of the Gym root */
export async function assertTarget(places: Places, dryRun: boolean): Promise<void> {
  await explained(places.folder, () => new Inside(places.root).assertFolder(places.folder));
  await explained(places.staging, () => assertStaging(places));
  for (const path of [places.folder, places.staging]) await (dryRun ? nearestFolder(path) : assertWritable(path));
}

/** @throws UserError where the folder holds something that gymgen did not write */
export async function assertOurs({ folder }: Places): Promise<void> {
  const found = await explained(folder, () => unless(['ENOENT'], readdir(folder)));
  if (!found || found.includes(LOCK_FILE)) return;
  if (found.every((entry) => LEFT_BEHIND.test(entry))) return;
  throw new UserError(`the folder is there and was not written by gymgen (it has no ${LOCK_FILE})`, {
    where: folder,
    fix: 'write under another name with --name, or move that folder away',
  });
}
