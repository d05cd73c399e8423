import { join } from 'node:path';
import { UserError } from '../errors.js';
import { namesOf } from '../gym/names.js';
import type { Settings } from '../gym/options.js';
import { readRegular } from '../regular-file.js';
import type { GymRoot } from '../rules/index.js';

/** What the rules want to know of a Gym root, which need not be there yet. */
export async function readRoot(path: string): Promise<GymRoot> {
  return { path, pyproject: await text(join(path, 'pyproject.toml')) };
}

/**
 * The settings of the config that is there now; none where there is no config.
 * @throws UserError where one has a value that can't be kept
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
 * A file that cannot be read says nothing here; writing to it reports why.
 * @throws UserError if it is too large, or not a regular file
 */
async function text(path: string): Promise<string | undefined> {
  const bytes = await readRegular(path, 'configBytes').catch((error: unknown) => {
    if (error instanceof UserError) throw error;
    return undefined;
  });
  return bytes?.toString();
}
