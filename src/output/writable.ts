import type { Stats } from 'node:fs';
import { access, constants, lstat, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';
import { explained } from './explain.js';

/**
 * The nearest folder at or above `path` that is there.
 * @throws UserError where a file is in the way
 */
export async function nearestFolder(path: string): Promise<{ path: string; device: number }> {
  let at = resolve(path);
  let found = await look(at);
  while (!found) {
    at = dirname(at);
    found = await look(at);
  }
  if (found.isDirectory()) return { path: at, device: found.dev };
  throw new UserError('not a folder', { where: at, fix: 'move the file away, or choose another Gym root' });
}

/** The same. @throws UserError where that folder takes no new files, too */
export async function assertWritable(path: string): Promise<{ path: string; device: number }> {
  for (;;) {
    const folder = await nearestFolder(path);
    const writable = access(folder.path, constants.W_OK | constants.X_OK).then(() => true);
    if (await explained(folder.path, () => unless(ABSENT, writable))) return folder; // else another run removed its empty folder meanwhile
  }
}

/** Whether nothing is there, not even a link. */
export async function isAbsent(path: string): Promise<boolean> {
  return (await explained(path, () => unless(ABSENT, lstat(path)))) === undefined;
}

async function look(path: string): Promise<Stats | undefined> {
  const found = await explained(path, () => unless(ABSENT, stat(path)));
  if (found) return found;
  const itself = await explained(path, () => unless(ABSENT, lstat(path)));
  if (!itself?.isSymbolicLink()) return itself; // another run may have made it meanwhile
  throw new UserError('a symlink leads nowhere', {
    where: path,
    fix: 'make the folder that it leads to, or remove it',
  });
}
