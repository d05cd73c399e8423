import { lstat, readlink } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';

/**
 * Checks that paths of a Gym root lead through real folders only. The root itself, and what is above it, may be a symlink: the
 * command line names these. Each folder is looked at once.
 */
export class Inside {
  private readonly known = new Map<string, Promise<boolean>>();

  constructor(private readonly root: string) {}

  /** @throws UserError if a folder on the way to `path` is a symlink or not a folder */
  async assert(path: string): Promise<void> {
    const parts = relative(resolve(this.root), resolve(path)).split(sep);
    if (parts[0] === '..') throw new Error(`not below the Gym root: ${path}`);
    let at = this.root;
    for (const part of parts.slice(0, -1)) {
      at = join(at, part);
      if (!(await this.exists(at))) return;
    }
  }

  /** The same for a path that is a folder itself, or does not exist. */
  async assertFolder(path: string): Promise<void> {
    await this.assert(join(path, 'file'));
  }

  private exists(folder: string): Promise<boolean> {
    const known = this.known.get(folder) ?? isRealFolder(folder);
    this.known.set(folder, known);
    return known;
  }
}

/**
 * @returns false if nothing is there
 * @throws UserError if something else than a folder is there, a symlink to one included
 */
export async function isRealFolder(path: string): Promise<boolean> {
  const stat = await unless(ABSENT, lstat(path));
  if (!stat) return false;
  if (stat.isDirectory()) return true;
  if (!stat.isSymbolicLink()) {
    throw new UserError('not a folder', { where: path, fix: 'move the file away, or choose another Gym root' });
  }
  throw new UserError('a folder of the Gym root is a symlink', {
    where: `${path} -> ${await readlink(path)}`,
    fix: `replace ${path} with a real folder, or choose another Gym root`,
  });
}
