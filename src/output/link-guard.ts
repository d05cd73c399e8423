import { readlink } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { UserError } from '../errors.js';
import { CHOOSE_ROOT, look, notFolder } from './fs.js';

/**
 * @returns false if nothing exists at the path
 * @throws UserError if something other than a folder exists, such as a symlink to a folder
 */
export async function isRealFolder(path: string): Promise<boolean> {
  const found = await look(path);
  if (!found || found.isDirectory()) return found !== undefined;
  if (!found.isSymbolicLink()) throw notFolder(path);
  throw new UserError('a folder of the Gym root is a symlink', {
    where: `${path} -> ${await readlink(path)}`,
    fix: `replace ${path} with a real folder, or ${CHOOSE_ROOT}`,
  });
}

/**
 * Checks that paths of a Gym root lead through real folders only. The root itself, and the folders above it, may be symlinks:
 * the command line names these. Each folder is checked once.
 */
export class LinkGuard {
  private readonly known = new Map<string, Promise<boolean>>();

  constructor(private readonly root: string) {}

  /** @throws UserError if a folder between the root and `path` is a symlink or not a folder */
  async assert(path: string): Promise<void> {
    const parts = relative(resolve(this.root), resolve(path)).split(sep);
    if (parts[0] === '..') throw new Error(`not below the Gym root: ${path}`);
    let at = this.root;
    for (const part of parts.slice(0, -1)) {
      at = join(at, part);
      if (!(await this.isRealFolder(at))) return;
    }
  }

  /** @throws UserError if `path`, or a folder between the root and it, exists and is a symlink or not a folder */
  async assertFolder(path: string): Promise<void> {
    await this.assert(join(path, 'file'));
  }

  private isRealFolder(folder: string): Promise<boolean> {
    const known = this.known.get(folder) ?? isRealFolder(folder);
    this.known.set(folder, known);
    return known;
  }
}
