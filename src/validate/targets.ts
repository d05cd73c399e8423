import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, orUndefined, translateReadErrors } from '../files.js';
import { AGENTS, ENVIRONMENT_SERVERS, MANIFEST, MODELS, RESOURCES_SERVERS, WHEELS } from '../rules/index.js';

/** A path to validate, and its kind. */
export type Target =
  | { kind: 'package'; path: string; shown: string }
  | { kind: 'dataset'; path: string; shown: string; isFolder: boolean }
  | { kind: 'root'; path: string; shown: string; only: string | undefined };

const FIX = 'pass a Gym root, a folder in resources_servers/, a package, or a dataset (.jsonl, or its folder)';

/** Detects the kind of a path. @throws UserError if the path cannot be validated */
export async function targetAt(shown: string): Promise<Target> {
  const path = resolve(shown);
  const found = await translateReadErrors(shown, stat(path));
  if (found === undefined) throw new UserError('no such file or folder', { where: shown, fix: FIX });
  if (!found.isDirectory()) {
    if (found.isFile() && path.endsWith('.jsonl')) return { kind: 'dataset', path, shown, isFolder: false };
    if (found.isFile() && basename(path) === MANIFEST) return { kind: 'package', path: dirname(path), shown };
    throw new UserError('gymgen cannot validate this path', { where: shown, fix: FIX });
  }
  const names = new Set(await readdir(path));
  if (await isPackage(path, names)) return { kind: 'package', path, shown };
  const parent = basename(dirname(path));
  if (parent === RESOURCES_SERVERS) return { kind: 'root', path: dirname(dirname(path)), shown, only: basename(path) };
  if (names.has(RESOURCES_SERVERS)) return { kind: 'root', path, shown, only: undefined };
  if ([...names].some((name) => name.endsWith('.jsonl'))) return { kind: 'dataset', path, shown, isFolder: true };
  throw new UserError('gymgen cannot validate this path', { where: shown, fix: FIX });
}

/** Whether a folder is a package, even without a manifest, or with everything one folder deeper. */
async function isPackage(path: string, names: ReadonlySet<string>): Promise<boolean> {
  if (names.has(MANIFEST)) return true;
  if (names.has(WHEELS) && !names.has('pyproject.toml')) return true;
  if (names.has(MODELS) && !names.has('pyproject.toml') && (await hasOnlyConfigs(join(path, MODELS)))) return true;
  if ([RESOURCES_SERVERS, AGENTS, ENVIRONMENT_SERVERS].some((name) => names.has(name))) return false;
  for (const name of [...names].slice(0, 100)) {
    if (await orUndefined(ABSENT, stat(join(path, name, MANIFEST)))) return true;
  }
  return false;
}

/** Gym's own models have programs, and a root in which Gym ran has their venvs; a package has only their configs. */
async function hasOnlyConfigs(models: string): Promise<boolean> {
  let found = false;
  for (const name of (await readdir(models)).slice(0, 100)) {
    if (await orUndefined(ABSENT, stat(join(models, name, 'app.py')))) return false;
    found ||= (await orUndefined(ABSENT, stat(join(models, name, 'configs')))) !== undefined;
  }
  return found;
}
