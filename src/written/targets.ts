import { basename, dirname, resolve } from 'node:path';
import { closest } from '../closest.js';
import { UserError } from '../errors.js';
import { readLock } from '../output/index.js';
import { type WrittenFolder, writtenFolders } from './root-folders.js';

/** The folders that a command works on, and their Gym root. */
export interface Targets {
  /** Absolute path. */
  gymRoot: string;
  /** At least one, in the order of their names on the command line. */
  folders: WrittenFolder[];
}

/**
 * Finds the folders that a command line names: `<gym-root> [name…]`, or one folder of `resources_servers/`.
 * @param names may be empty if the root has only one folder that gymgen wrote
 * @throws UserError if one is missing or was not written by gymgen, or if there are several folders and no names
 */
export async function targetFolders(target: string, names: readonly string[]): Promise<Targets> {
  const path = resolve(target);
  const lock = await readLock(path);
  if (lock) {
    const gymRoot = dirname(dirname(path));
    if (names.length === 0 && basename(dirname(path)) === 'resources_servers') {
      return { gymRoot, folders: [{ name: basename(path), folder: path, lock }] };
    }
    throw new UserError("target is a server's folder, not a Gym root", {
      where: target,
      fix: 'name the folder that contains resources_servers/',
    });
  }
  const written = await writtenFolders(target);
  return { gymRoot: path, folders: names.length === 0 ? [only(written, target)] : named(names, written, target) };
}

function only(written: readonly WrittenFolder[], where: string): WrittenFolder {
  const [first, ...others] = written;
  if (first && others.length === 0) return first;
  throw new UserError('the Gym root has several folders; choose one', {
    where,
    fix: `add its name: ${listOf(written)}`,
  });
}

function named(names: readonly string[], written: readonly WrittenFolder[], where: string): WrittenFolder[] {
  return [...new Set(names)].map((name) => {
    const found = written.find((folder) => folder.name === name);
    if (found) return found;
    const known = written.map((folder) => folder.name);
    const meant = closest(name, known);
    throw new UserError(`gymgen wrote no folder ${JSON.stringify(name)} in this Gym root`, {
      where,
      fix: meant === undefined ? `choose one of ${listOf(written)}` : `did you mean ${meant}?`,
    });
  });
}

/** Upper bound on the names that an error lists. */
const LISTED = 10;

function listOf(written: readonly WrittenFolder[]): string {
  const names = written.slice(0, LISTED).map(({ name }) => name);
  return [...names, ...(written.length > LISTED ? [`or one of ${written.length - LISTED} others`] : [])].join(', ');
}
