import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readNoFollow } from '../files.js';
import { namesOf } from '../gym/names.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import type { Settings } from '../model.js';
import { LinkGuard } from '../output/index.js';
import type { GymRoot } from '../rules/index.js';

/** What the rules want to know of a Gym root, which need not be there yet. */
export async function readRoot(path: string): Promise<GymRoot> {
  const file = join(path, 'pyproject.toml'); // not written by gymgen, so that it may be a link
  const [pyproject, packageInfo, servers] = await Promise.all([
    realpath(file)
      .catch(() => file)
      .then(text),
    text(join(path, 'nemo_gym', 'package_info.py')),
    stat(join(path, 'environment_servers')).catch(() => undefined),
  ]);
  return { path, pyproject, packageInfo, environmentServers: servers?.isDirectory() ?? false };
}

/**
 * The settings of the config that is there now; none where there is no config.
 * @throws UserError if one has a value that cannot be kept, or if the config is below a symlink of the Gym root
 */
export async function currentSettings(gymRoot: string, name: string): Promise<Settings> {
  const { folder, config } = namesOf(name);
  const path = join(gymRoot, folder, config);
  await new LinkGuard(gymRoot).assert(path);
  const written = await text(path);
  if (written === undefined) return {};
  const { readSettings } = await import('./settings.js'); // a parser of YAML, which a new root doesn't need
  return readSettings(written, name, path);
}

/**
 * A file that cannot be read says nothing here; writing to it reports why.
 * @throws UserError if it is too large
 */
async function text(path: string): Promise<string | undefined> {
  const bytes = await readNoFollow(path, LIMITS.configBytes).catch(() => undefined);
  if (bytes === 'too-large') throw overLimit('configBytes', { where: path });
  return bytes === undefined || typeof bytes === 'string' ? undefined : withoutMark(bytes).toString();
}
