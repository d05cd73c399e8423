import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, orUndefined } from '../files.js';
import { LIMITS } from '../limits.js';
import type { CarriedFile } from './types.js';

/** A bundle's folder that goes into the package. */
export interface BundleFolder {
  /** Its files, as `bundle/…`, and AgentEnv's settings. */
  files: CarriedFile[];
  /** Links and other entries that stay out. */
  leftOut: { path: string; why: string }[];
  /** Where AgentEnv's settings were found, if they are outside of the bundle. */
  settingsFrom: string | undefined;
}

/** What tools leave behind in a folder. */
const CACHES = /^(?:__pycache__|\.git|\.venv|\.pytest_cache|\.ruff_cache|.*\.egg-info|\.DS_Store)$/;
const SETTINGS = '.agentenv/config.toml';

/**
 * The folder of a bundle that a config names by a path; undefined for the name of an installed bundle.
 * @param reference with OmegaConf's escapes
 * @param configs folder of the config, where a relative path starts
 */
export function bundleFolder(reference: string, configs: string): string | undefined {
  const text = reference.replace(/\\+\$\{/g, (escapes) => escapes.slice(Math.ceil((escapes.length - 2) / 2)));
  if (text.startsWith('.')) return path.resolve(configs, text);
  if (text === '~' || text.startsWith('~/')) return path.join(homedir(), text.slice(1));
  return path.isAbsolute(text) ? text : undefined;
}

/**
 * All files of a bundle.
 * @throws UserError if it is not a folder, has too many files, or has rows, which a package may not have
 */
export async function bundleFiles(folder: string): Promise<BundleFolder> {
  if (!(await orUndefined(ABSENT, stat(folder)))?.isDirectory()) {
    throw new UserError("the bundle's folder does not exist", {
      where: folder,
      fix: 'restore it, or correct the config',
    });
  }
  const root = await realpath(folder);
  const found: BundleFolder = { files: [], leftOut: [], settingsFrom: undefined };
  await walk(root, '', found);
  const rows = found.files.filter((file) => file.path.endsWith('.jsonl'));
  if (rows.length > 0) {
    throw new UserError('the bundle has .jsonl files, which NeMo Platform accepts in a wheel only', {
      where: folder,
      details: rows.slice(0, 3).map((file) => file.path),
      fix: "publish the bundle as a Python package, and name it in the config and in the pyproject.toml of the server's folder",
    });
  }
  const settings = found.files.some((file) => file.path === `bundle/${SETTINGS}`)
    ? undefined
    : await settingsAbove(root);
  if (settings !== undefined) {
    found.files.push({ path: SETTINGS, copy: settings });
    found.settingsFrom = settings;
  }
  return found;
}

async function walk(root: string, below: string, found: BundleFolder): Promise<void> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = `${below}${entry.name}`;
    if (CACHES.test(entry.name)) continue;
    if (entry.isDirectory()) await walk(root, `${at}/`, found);
    else if (entry.isFile()) found.files.push({ path: `bundle/${at}`, copy: path.join(root, at) });
    else
      found.leftOut.push({ path: `bundle/${at}`, why: entry.isSymbolicLink() ? 'is a link' : 'is not a regular file' });
    if (found.files.length <= LIMITS.lockFiles) continue;
    throw new UserError(`bundle has more than ${LIMITS.lockFiles} files`, {
      where: root,
      fix: 'remove what it does not need',
    });
  }
}

/** AgentEnv's settings in a folder above the bundle, within its git repository: those of a home are not the bundle's. */
async function settingsAbove(bundle: string): Promise<string | undefined> {
  const repository = await repositoryOf(bundle);
  if (repository === undefined) return undefined;
  for (let at = bundle; at !== repository; ) {
    at = path.dirname(at);
    const file = path.join(at, SETTINGS);
    if ((await orUndefined(ABSENT, lstat(file)))?.isFile()) return file;
  }
  return undefined;
}

async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (await orUndefined(ABSENT, stat(path.join(at, '.git')))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}
