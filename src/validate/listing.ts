import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LIMITS, overLimit } from '../limits.js';
import type { Entry } from '../rules/index.js';

/** Folders that uploads and Gym itself leave out, and that may be large. */
const SKIPPED = new Set(['.git', '.venv', 'node_modules']);

/**
 * All entries below a folder, sorted by path. Links are not followed.
 * @throws OverLimit if there are too many; an error of the operating system
 */
export async function listEntries(root: string, skipped: ReadonlySet<string> = new Set()): Promise<Entry[]> {
  const real = await realpath(root);
  const found: Entry[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for await (const dirent of await opendir(join(root, folder))) {
      if (skipped.has(dirent.name)) continue;
      const path = folder === '' ? dirent.name : `${folder}/${dirent.name}`;
      if (found.length >= LIMITS.packageEntries) throw overLimit('packageEntries', { where: root });
      const entry = await entryOf(join(root, path), path, dirent, real);
      found.push(entry);
      if (entry.kind === 'folder') open.push(path);
    }
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The entries of a Gym root, without what no server needs. */
export function listRoot(root: string): Promise<Entry[]> {
  return listEntries(root, SKIPPED);
}

async function entryOf(at: string, path: string, dirent: Dirent, root: string): Promise<Entry> {
  if (dirent.isDirectory()) return { path, kind: 'folder', size: 0 };
  if (dirent.isFile()) return { path, kind: 'file', size: (await lstat(at)).size };
  return dirent.isSymbolicLink() ? { path, kind: 'link', size: 0, target: await targetOf(at, root) } : other(path);
}

function other(path: string): Entry {
  return { path, kind: 'other', size: 0 };
}

async function targetOf(link: string, root: string): Promise<NonNullable<Entry['target']>> {
  try {
    const target = await realpath(link);
    if (target !== root && !target.startsWith(root + sep)) return 'outside';
    return (await stat(target)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nowhere';
  }
}
