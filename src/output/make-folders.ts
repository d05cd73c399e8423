import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ABSENT, unless } from './errno.js';

/**
 * Creates a folder and its missing parents, each with one call: the recursive `mkdir` of Node.js never ends on a file system
 * that takes no folders, such as /proc.
 * @returns the first folder that was created, or undefined if all exist
 * @throws an error of the operating system
 */
export async function makeFolders(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await unless(ABSENT, stat(at))); at = dirname(at)) missing.unshift(at);
  let first: string | undefined;
  for (const folder of missing) {
    // Another run may create it meanwhile.
    const isNew = await unless(
      ['EEXIST'],
      mkdir(folder).then(() => true),
    );
    if (isNew) first ??= folder;
  }
  return first;
}
