import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.js';
import { configSettings, namesOf } from '../gym/index.js';
import { LIMITS } from '../limits.js';
import { hashFile, LEFTOVER } from '../output/index.js';
import type { WrittenFolder } from '../written/index.js';
import type { CarriedFile } from './types.js';

/** The files of a written folder, by what a package does with them. */
export interface ServerFiles {
  /** Files that go in unchanged. */
  files: CarriedFile[];
  leftOut: { path: string; why: string }[];
  /** Files that go in and were edited by hand. */
  edited: string[];
}

/** Files that each server needs. */
const NEEDED = ['app.py', 'task_data.py', 'toolsets.json'];
const PACKAGES = /^(?:openenv_bridge|bundle_child)\//;
/** Files that a package does not need, and why. */
const LEFT_OUT: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^data\//, 'rows are a file set of their own'],
  [/^tests\//, 'a job runs no tests'],
  [/^README\.md$/, 'a job reads no docs'],
  [/^gymgen\.lock\.json$/, "is gymgen's own"],
  [/^pyproject\.toml$/, 'requirements.txt replaces it: a job cannot write into the folder'],
];

/**
 * Sorts the files of a written folder.
 * @param carry paths of files that gymgen did not write and that the user wants in the package
 * @throws UserError if a needed file is missing, or a file to carry does not exist
 */
export async function serverFiles(
  { folder, name, lock }: WrittenFolder,
  carry: readonly string[],
): Promise<ServerFiles> {
  const config = namesOf(name).config;
  const found: ServerFiles = { files: [], leftOut: [], edited: [] };
  const carried = new Set(carry.map((file) => path.normalize(file)));
  const used = new Set<string>();
  for (const { at, isLink } of await entriesBelow(folder)) {
    if (at === config) continue;
    const isKnown = NEEDED.includes(at) || (PACKAGES.test(at) && lock.files[at] !== undefined);
    const why = LEFT_OUT.find(([pattern]) => pattern.test(at))?.[1];
    if (isLink) found.leftOut.push({ path: at, why: 'is a link' });
    else if (isKnown || carried.has(at)) found.files.push({ path: at, copy: path.join(folder, at) });
    else found.leftOut.push({ path: at, why: why ?? `was not written by gymgen; to include it: --carry ${at}` });
    if (carried.has(at) && !isLink) used.add(at);
  }
  const missing = NEEDED.filter((file) => !found.files.some(({ path: at }) => at === file));
  if (missing.length > 0) {
    throw new UserError(`file is missing: ${missing.join(', ')}`, { where: folder, fix: 'write the folder again' });
  }
  found.edited = await editedFiles({ folder, name, lock }, [...found.files.map((file) => file.path), config]);
  return found;
}

/** The paths to carry that no folder has. */
export function notCarried(carry: readonly string[], servers: readonly ServerFiles[]): string[] {
  const paths = new Set(servers.flatMap(({ files }) => files.map((file) => file.path)));
  return carry.filter((file) => !paths.has(path.normalize(file)));
}

async function entriesBelow(folder: string): Promise<{ at: string; isLink: boolean }[]> {
  const found: { at: string; isLink: boolean }[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(path.join(folder, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const at = `${below}${entry.name}`;
      if (LEFTOVER.test(entry.name)) continue;
      if (entry.isDirectory()) await walk(`${at}/`);
      else found.push({ at, isLink: !entry.isFile() });
      if (found.length <= LIMITS.lockFiles) continue;
      throw new UserError(`folder has more than ${LIMITS.lockFiles} files`, {
        where: folder,
        fix: 'remove other files',
      });
    }
  };
  await walk('');
  return found;
}

/** Files whose content differs from what gymgen wrote. Settings in the config do not count, as for `check`. */
async function editedFiles({ folder, name, lock }: WrittenFolder, paths: readonly string[]): Promise<string[]> {
  const { files, theirs = {} } = lock;
  const edited: string[] = [];
  for (const at of paths) {
    if (files[at] === undefined) continue;
    const hash = await hashFile(path.join(folder, at), at === namesOf(name).config ? configSettings(name) : undefined);
    if (hash !== files[at] && hash !== theirs[at]) edited.push(at);
  }
  return edited;
}
