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
  const [bundle, config] = await Promise.all([realPath(folder), realPath(configFolder)]);
  const repository = await repositoryOf(bundle);
  if (absolute || repository === null || repository !== (await repositoryOf(config))) return bundle;
  const relative = path.relative(config, bundle).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/**
 * Whether a folder is in the git repository that a file is in, by their real paths.
 * @returns false if the file is in no repository
 */
export async function inRepositoryOf(file: string, folder: string): Promise<boolean> {
  const [from, to] = await Promise.all([realPath(path.resolve(file)), realPath(path.resolve(folder))]);
  const repository = await repositoryOf(path.dirname(from));
  if (repository === null) return false;
  const below = path.relative(repository, to);
  return below.split(path.sep)[0] !== '..' && !path.isAbsolute(below);
}

/** An absolute path with its links resolved, as far as it exists. */
export async function realPath(place: string): Promise<string> {
  const parent = path.dirname(place);
  return await realpath(place).catch(async () =>
    parent === place ? place : path.join(await realPath(parent), path.basename(place)),
  );
}

/** The nearest folder upwards with a `.git`, which is a file in a worktree. */
async function repositoryOf(place: string): Promise<string | null> {
  const found = await stat(path.join(place, '.git')).catch(() => null);
  if (found) return place;
  const parent = path.dirname(place);
  return parent === place ? null : await repositoryOf(parent);
}
