import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { readNoFollow } from '../files.js';
import { namesOf } from '../gym/index.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import { LinkGuard, type Lock, readLock } from '../output/index.js';
import { gymgenCommand, shellQuote } from '../printed-command.js';
import type { GymRoot } from '../rules/index.js';
import type { Settings } from '../settings.js';

/**
 * Reads what the rules check of a Gym root.
 * @param path absolute; need not exist
 */
export async function readGymRoot(path: string): Promise<GymRoot> {
  const file = join(path, 'pyproject.toml');
  const [pyproject, packageInfo, servers] = await Promise.all([
    realpath(file) // gymgen does not write this file, so it may be a symlink
      .catch(() => file)
      .then(readText),
    readText(join(path, 'nemo_gym', 'package_info.py')),
    stat(join(path, 'environment_servers')).catch(() => undefined),
  ]);
  return { path, pyproject, packageInfo, environmentServers: servers?.isDirectory() ?? false };
}

/**
 * The settings of an existing config; empty if there is none.
 * @throws UserError if a setting has an invalid value, which a rewrite would lose, or if the config is below a symlink of the Gym root
 */
export async function currentSettings(gymRoot: string, name: string): Promise<Settings> {
  const { folder, config } = namesOf(name);
  const path = join(gymRoot, folder, config);
  await new LinkGuard(gymRoot).assert(path);
  const text = await readText(path);
  if (text === undefined) return {};
  const { readSettings } = await import('./config.js'); // loads a YAML parser, which a new root does not need
  return readSettings(text, name, path);
}

/**
 * @returns undefined if the file cannot be read; writing it will report the reason
 * @throws UserError if it is too large
 */
async function readText(path: string): Promise<string | undefined> {
  const bytes = await readNoFollow(path, LIMITS.configBytes).catch(() => undefined);
  if (bytes === 'too-large') throw overLimit('configBytes', { where: path });
  return bytes === undefined || typeof bytes === 'string' ? undefined : withoutMark(bytes).toString();
}

/** A folder of a Gym root that gymgen wrote. */
export interface WrittenFolder {
  name: string;
  /** Path. */
  folder: string;
  lock: Lock;
}

/**
 * The folders of a Gym root that gymgen wrote, sorted by name. Symlinks are not followed.
 * @throws UserError if there are none or too many, or if a lock file cannot be read
 */
export async function writtenFolders(gymRoot: string): Promise<WrittenFolder[]> {
  const servers = join(gymRoot, 'resources_servers');
  const found: WrittenFolder[] = [];
  for (const name of (await foldersIn(servers)).sort()) {
    const folder = join(servers, name);
    const lock = await readLock(folder);
    if (lock) found.push({ name, folder, lock });
  }
  if (found.length > 0) return found;
  const root = resolve(gymRoot);
  if (basename(root) === 'resources_servers') {
    throw new UserError('not a Gym root, but its resources_servers/ folder', {
      where: gymRoot,
      fix: `name the folder above it: ${shellQuote(resolve(root, '..'))}`,
    });
  }
  throw new UserError('no folder in this Gym root was written by gymgen', {
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
