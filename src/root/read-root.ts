import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { namesOf } from '../gym/names.js';
import type { Settings } from '../gym/options.js';
import { LIMITS } from '../limits.js';
import { readRegular } from '../output/index.js';
import type { GymRoot } from '../rules/index.js';

/** What the rules want to know of a Gym root, which need not be there yet. */
export async function readRoot(path: string): Promise<GymRoot> {
  const file = join(path, 'pyproject.toml'); // not written by gymgen, so that it may be a link
  return { path, pyproject: await text(await realpath(file).catch(() => file)) };
}

/**
 * The settings of the config that is there now; none where there is no config.
 * @throws UserError if one has a value that cannot be kept, or the config is too large
 */
export async function currentSettings(gymRoot: string, name: string): Promise<Settings> {
  const { folder, config } = namesOf(name);
  const path = join(gymRoot, folder, config);
  const written = await text(path);
  if (written === undefined) return {};
  const { readSettings } = await import('./settings.js'); // a parser of YAML, which a new root doesn't need
  return readSettings(written, name, path);
}

/**
 * What cannot be read, or is a link, has nothing to say here; why it cannot is reported when it is to be written.
 * @throws UserError if the file is larger than a config may be
 */
async function text(path: string): Promise<string | undefined> {
  const bytes = await readRegular(path, LIMITS.configBytes).catch(() => 'not-a-file' as const);
  if (bytes === 'not-a-file') return undefined;
  if (bytes !== 'too-large') return bytes.toString();
  throw new UserError(`file is larger than ${LIMITS.configBytes} bytes`, { where: path, fix: 'make the file smaller' });
}
