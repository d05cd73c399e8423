import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readNoFollow } from '../files.js';
import { namesOf } from '../gym/index.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import { LinkGuard } from '../output/index.js';
import type { GymRoot } from '../rules/index.js';
import type { Settings } from '../settings.js';
import type { CurrentConfig } from './config.js';

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
 * The existing config of a server and its settings.
 * @throws UserError if a setting has an invalid value, or if the config is below a symlink of the Gym root
 */
export async function currentConfig(gymRoot: string, name: string): Promise<CurrentConfig> {
  const { folder, config } = namesOf(name);
  const path = join(gymRoot, folder, config);
  await new LinkGuard(gymRoot).assert(path);
  const text = await readText(path);
  if (text === undefined) return { text, settings: {}, interpolated: {} };
  const { readSettings } = await import('./config.js'); // loads a YAML parser, which a new root does not need
  return { text, ...readSettings(text, name, path) };
}

/** The settings of the existing config; empty if there is none. @throws UserError as `currentConfig` */
export async function currentSettings(gymRoot: string, name: string): Promise<Settings> {
  return (await currentConfig(gymRoot, name)).settings;
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
