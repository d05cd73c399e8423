import type { Dirent } from 'node:fs';
import { lstat, opendir, readlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { LIMITS } from '../limits.js';
import { LinkGuard, LOCK_FILE, type Lock, readLock } from '../output/index.js';
import { gymgenCommand, shellQuote } from '../printed-command.js';

/** A folder of a Gym root that gymgen wrote. */
export interface WrittenFolder {
  name: string;
  /** Path. */
  folder: string;
  lock: Lock;
}

/** A folder that gymgen seems to have written, but that it cannot compare or update. */
export interface UnusableFolder {
  name: string;
  /** The reason. */
  error: UserError;
}

/** The folders of a Gym root that gymgen wrote, each list sorted by name. */
export interface RootFolders {
  written: WrittenFolder[];
  unusable: UnusableFolder[];
}

/**
 * The folders of a Gym root that gymgen wrote. Symlinks are not followed.
 * @throws UserError if there are none or too many, or if a lock file cannot be read
 */
export async function writtenFolders(gymRoot: string): Promise<WrittenFolder[]> {
  const { written, unusable } = await rootFolders(gymRoot);
  const [damaged] = unusable.filter(({ error }) => !(error instanceof NotOurs));
  if (damaged) throw damaged.error;
  if (written.length > 0) return written;
  throw unusable[0]?.error ?? noFolder(gymRoot);
}

/**
 * As `writtenFolders`, with the folders that a check must not pass over: those with the server of gymgen but without a lock
 * file, those whose lock file cannot be read, and symlinks to such a folder.
 * @throws UserError if there is neither kind, or if the Gym root has too many folders
 */
export async function rootFolders(gymRoot: string): Promise<RootFolders> {
  const servers = join(gymRoot, 'resources_servers');
  await new LinkGuard(gymRoot).assertFolder(servers);
  const found: RootFolders = { written: [], unusable: [] };
  for (const entry of await entriesIn(servers)) {
    const { name } = entry;
    const folder = join(servers, name);
    try {
      const lock = entry.isSymbolicLink() ? undefined : await readLock(folder);
      if (lock) found.written.push({ name, folder, lock });
      else if (await looksWritten(folder)) found.unusable.push({ name, error: await whyUnusable(entry, folder) });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      found.unusable.push({ name, error });
    }
  }
  if (found.written.length === 0 && found.unusable.length === 0) throw noFolder(gymRoot);
  return found;
}

/** Files by which a folder of gymgen is recognized. Only gymgen writes them. */
const MARKS = [LOCK_FILE, 'openenv_bridge'];

/** A symlink to the folder is followed: NeMo Gym would start its server, too. */
async function looksWritten(folder: string): Promise<boolean> {
  for (const mark of MARKS) if (await lstat(join(folder, mark)).catch(() => undefined)) return true;
  return false;
}

/** A folder without a readable lock file. */
class NotOurs extends UserError {
  override readonly name = 'NotOurs';
}

async function whyUnusable(entry: Dirent, folder: string): Promise<UserError> {
  if (entry.isSymbolicLink()) {
    const target = await readlink(folder).catch(() => '?');
    return new NotOurs('folder is a symlink, which gymgen does not follow', {
      where: `${folder} -> ${target}`,
      fix: 'replace it with a real folder',
    });
  }
  return new NotOurs(`folder has the server of gymgen, but no ${LOCK_FILE}`, {
    where: folder,
    fix: 'restore the lock file from version control, or move the folder away and write it again',
  });
}

function noFolder(gymRoot: string): UserError {
  const root = resolve(gymRoot);
  if (basename(root) === 'resources_servers') {
    return new UserError('not a Gym root, but its resources_servers/ folder', {
      where: gymRoot,
      fix: `name the folder above it: ${shellQuote(resolve(root, '..'))}`,
    });
  }
  return new UserError('gymgen wrote no folder in this Gym root', {
    where: gymRoot,
    fix: `write a folder first: ${gymgenCommand`<source> ${gymRoot}`}`,
  });
}

/** Folders and symlinks, sorted by name. */
async function entriesIn(servers: string): Promise<Dirent[]> {
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
  const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return folders.sort((a, b) => (a.name < b.name ? -1 : 1));
}
