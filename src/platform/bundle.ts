import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, orUndefined } from '../files.js';
import { LIMITS } from '../limits.js';
import { LEFTOVER } from '../output/index.js';
import { buildWheel } from './adapter/wheel.js';
import type { CarriedFile, OwnWheel } from './types.js';

/** A bundle's folder that goes into the package. */
export interface BundleFolder {
  /** Its files, as `bundle/…`, and AgentEnv's settings. */
  files: CarriedFile[];
  /** Links and other entries that stay out. */
  leftOut: { path: string; why: string }[];
  /** Where AgentEnv's settings were found, if they are outside of the bundle. */
  settingsFrom: string | undefined;
}

const SETTINGS = '.agentenv/config.toml';

/**
 * The folder of a bundle that a config names by a path; undefined for the name of an installed bundle.
 * @param reference with OmegaConf's escapes
 * @param configs folder of the config, where a relative path starts
 */
export function bundleFolder(reference: string, configs: string): string | undefined {
  const text = reference.replace(/(?<!\\)\\+\$\{/g, (escapes) => escapes.slice(Math.ceil((escapes.length - 2) / 2)));
  if (text.startsWith('.')) return path.resolve(configs, text);
  if (text === '~' || text.startsWith('~/')) return path.join(homedir(), text.slice(1));
  return path.isAbsolute(text) ? text : undefined;
}

/**
 * All files of a bundle.
 * @throws UserError if it is not a folder, or has too many files
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
    if (entry.name === '.git' || LEFTOVER.test(entry.name)) continue;
    if (entry.isDirectory()) await walk(root, `${at}/`, found);
    else if (entry.isFile()) found.files.push({ path: `bundle/${at}`, copy: path.join(root, at) });
    else
      found.leftOut.push({ path: `bundle/${at}`, why: entry.isSymbolicLink() ? 'is a link' : 'is not a regular file' });
    if (found.files.length <= LIMITS.lockFiles) continue;
    throw new UserError(`bundle has more than ${LIMITS.lockFiles} files`, {
      where: root,
      fix: 'remove files that the bundle does not need',
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

/** Whether a bundle has files that NeMo Platform accepts in a wheel only. */
export function hasRows({ files }: BundleFolder): boolean {
  return files.some((file) => file.path.endsWith('.jsonl'));
}

/** How a config names a bundle that is in a wheel. */
export interface BundleWheel {
  wheel: OwnWheel;
  reference: string;
}

/**
 * A wheel that installs a bundle for AgentEnv, which finds it by its entry point (agent_env/plugins/_bundles.py, 0.9.1364).
 * @param server name of the written server
 */
export async function bundleWheel(server: string, folder: string, { files }: BundleFolder): Promise<BundleWheel> {
  const name = path.basename(await realpath(folder));
  if (!/^[\w.-]+$/.test(name)) {
    throw new UserError('AgentEnv cannot install a bundle with this folder name', {
      where: folder,
      fix: 'rename it: letters, digits and . _ -',
    });
  }
  const project = `${server}_bundle`;
  const inside = files.filter((file) => file.path.startsWith('bundle/'));
  const entries = await Promise.all(
    inside.map(async (file) => ({
      path: `${project}/${name}/${file.path.slice('bundle/'.length)}`,
      content: await readFile(file.copy),
    })),
  );
  const wheel = buildWheel({
    project,
    requires: [],
    entryPoints: ['[agent_env.bundles]', `${name} = ${project}`],
    files: [{ path: `${project}/__init__.py`, content: Buffer.alloc(0) }, ...entries],
  });
  return { wheel, reference: `${project.replaceAll('_', '-')}/${name}` };
}
