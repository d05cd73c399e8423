import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { ABSENT, orUndefined, readNoFollow } from '../files.js';
import { LIMITS } from '../limits.js';

/** The folders that gymgen fills, each with what Gym, Python and users add to it. */
const FOLDERS: Readonly<Record<string, RegExp>> = {
  data: /(?<!\.jsonl)$|(?:_prepare|rollouts)\.jsonl$/,
  openenv_bridge: /(?:^|\/)(?:__pycache__|\..*)$|\.pyc$/,
  bundle_child: /(?:^|\/)(?:__pycache__|\..*)$|\.pyc$/,
};

/** Upper bound on the files that are named. */
const NAMED = 100;

/**
 * Files in the folders of gymgen that it neither generates nor lists in its lock file, and that the config does not name:
 * rows of a split that a merge kept, or a module that the server would import.
 * @param folder path of the written folder
 * @param known paths in the folder that gymgen generates or lists
 * @param config path of the config in the folder
 * @returns paths in the folder, sorted, at most 100
 */
export async function unlistedFiles(folder: string, known: readonly string[], config: string): Promise<string[]> {
  const listed = new Set(known);
  const found: string[] = [];
  for (const [name, others] of Object.entries(FOLDERS)) {
    const at = path.join(folder, name);
    if (!(await orUndefined(ABSENT, lstat(at)))?.isDirectory()) continue;
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const file = `${name}/${entry.name}`;
      if (!listed.has(file) && !others.test(file) && !isParent(file, known)) found.push(file);
    }
  }
  if (found.length === 0) return [];
  const text = await readNoFollow(path.join(folder, config), LIMITS.configBytes).catch(() => '');
  const unnamed = found.filter((file) => !text.includes(file));
  return unnamed.sort().slice(0, NAMED);
}

function isParent(folder: string, files: readonly string[]): boolean {
  return files.some((file) => file.startsWith(`${folder}/`));
}
