import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.js';
import { type Lock, readLock } from '../output/index.js';
import { gymgenCommand } from '../printed-command.js';

/** A folder of a Gym root that gymgen wrote. */
export interface WrittenFolder {
  name: string;
  folder: string;
  lock: Lock;
}

/**
 * The folders that gymgen wrote, by name.
 * @throws UserError where there is none, or one has a lock file that can't be read
 */
export async function writtenFolders(gymRoot: string): Promise<WrittenFolder[]> {
  const servers = path.join(gymRoot, 'resources_servers');
  const entries = await readdir(servers, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const found: WrittenFolder[] = [];
  for (const name of names.sort()) {
    const folder = path.join(servers, name);
    const lock = await readLock(folder);
    if (lock) found.push({ name, folder, lock });
  }
  if (found.length > 0) return found;
  throw new UserError('nothing in this Gym root was written by gymgen', {
    where: servers,
    fix: `name the source too: ${gymgenCommand`check <source> <gym-root>`}`,
  });
}
