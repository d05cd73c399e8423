import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';
import { isName, type Places, placesOf } from './places.js';
import { isRealFolder } from './symlinks.js';

/**
 * Checks that a staging folder is as gymgen creates it, since it may have come with a repository. Follows no symlink.
 * @returns false if it does not exist
 * @throws UserError if it, or a folder above or in it, is a symlink or a file, or if one of its files is not a regular file
 */
export async function assertStaging({ gymgen, staging, ...places }: Places): Promise<boolean> {
  for (const folder of [gymgen, staging]) if (!(await isRealFolder(folder))) return false;
  await isRealFolder(places.files);
  for (const file of [places.journal, places.draft, places.owner, places.permit]) {
    const stat = await unless(ABSENT, lstat(file));
    if (!stat || stat.isFile()) continue;
    throw new UserError('not a regular file', { where: file, fix: `remove ${staging}` });
  }
  return true;
}

/**
 * The staging folders of a Gym root, by name. Entries that gymgen does not create are ignored.
 * @throws UserError if one is not as gymgen creates it
 */
export async function stagingFolders(gymRoot: string): Promise<Places[]> {
  const gymgen = join(gymRoot, '.gymgen');
  if (!(await isRealFolder(gymgen))) return [];
  const entries = (await unless(ABSENT, readdir(gymgen, { withFileTypes: true }))) ?? [];
  const found = entries.filter((entry) => isName(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()));
  const all = found.map(({ name }) => placesOf(gymRoot, name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const places of all) await assertStaging(places);
  return all;
}
