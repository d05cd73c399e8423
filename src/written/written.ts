import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.js';
import { LIMITS } from '../limits.js';
import { type Lock, readLock } from '../output/index.js';
import { gymgenCommand, shellQuote } from '../printed-command.js';

/** A folder of a Gym root that gymgen wrote. */
export interface WrittenFolder {
  name: string;
  folder: string;
  lock: Lock;
}

/**
 * The folders that gymgen wrote, by name. Links are not followed.
 * @throws UserError if there are none or too many, or one has a lock file that cannot be read
 */
export async function writtenFolders(gymRoot: string): Promise<WrittenFolder[]> {
  const servers = path.join(gymRoot, 'resources_servers');
  const found: WrittenFolder[] = [];
  for (const name of (await foldersIn(servers)).sort()) {
    const folder = path.join(servers, name);
    const lock = await readLock(folder);
    if (lock) found.push({ name, folder, lock });
  }
  if (found.length > 0) return found;
  const root = path.resolve(gymRoot);
  if (path.basename(root) === 'resources_servers') {
    throw new UserError('not a Gym root, but its resources_servers/ folder', {
      where: gymRoot,
      fix: `name the folder above it: ${shellQuote(path.dirname(root))}`,
    });
  }
  throw new UserError('nothing in this Gym root was written by gymgen', {
    where: gymRoot,
    fix: `write a folder first: ${gymgenCommand`<source> ${gymRoot}`}`,
  });
}

async function foldersIn(servers: string): Promise<string[]> {
  const isFolder = (await lstat(servers).catch(() => undefined))?.isDirectory() ?? false;
  const entries: Dirent[] = [];
  if (isFolder) {
    for await (const entry of await opendir(servers)) {
      if (entries.push(entry) <= LIMITS.rootFolders) continue;
      throw new UserError(`folder has more than ${LIMITS.rootFolders} entries`, {
        where: servers,
        fix: 'remove what is not a resources server',
      });
    }
  }
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
