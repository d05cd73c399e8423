import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * How a config names a bundle's folder: relative to the config's own where both are in one git repository, which is then
 * free to move; else the absolute path.
 * @param configFolder absolute; need not be there yet
 */
export async function bundleReference(
  folder: string,
  configFolder: string,
  { absolute = false }: { absolute?: boolean } = {},
): Promise<string> {
  // The written server resolves links before it looks, so that `..` means the same to both.
  const [bundle, config] = await Promise.all([real(folder), real(configFolder)]);
  const repository = await repositoryOf(bundle);
  if (absolute || repository === null || repository !== (await repositoryOf(config))) return bundle;
  const relative = path.relative(config, bundle).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** Links resolved as far as the path is there. */
async function real(place: string): Promise<string> {
  const parent = path.dirname(place);
  return await realpath(place).catch(async () =>
    parent === place ? place : path.join(await real(parent), path.basename(place)),
  );
}

/** The nearest folder upwards with a `.git`, which is a file in a worktree. */
async function repositoryOf(place: string): Promise<string | null> {
  const found = await stat(path.join(place, '.git')).catch(() => null);
  if (found) return place;
  const parent = path.dirname(place);
  return parent === place ? null : await repositoryOf(parent);
}
