import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../errors.js';
import { ensurePrivateFolder } from '../state/private-folder.js';
import { userKey } from '../state/user-state.js';

/** The file in a cached folder that proves that gymgen created the folder for this user. */
const STAMP = 'gymgen-stamp';

/** The folder for everything that gymgen installs: `$XDG_CACHE_HOME/gymgen` if that is an absolute path, else `~/.cache/gymgen`. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME = '' } = process.env;
  return path.join(path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(homeFolder(), '.cache'), 'gymgen');
}

/** The user's home folder; `/` for a user that the system does not know, as in some containers. */
export function homeFolder(): string {
  try {
    return path.resolve('/', os.homedir());
  } catch {
    return path.resolve('/');
  }
}

/**
 * A folder of the cache, created once for each identity. The cache may be inside a checkout, so a commit could plant folders
 * in it. Therefore the path and a stamp file depend on this user's secret key, and a folder without the right stamp is
 * replaced.
 * @param name relative path
 * @param identity everything that determines the folder's content
 * @param create fills an empty folder, which is then moved
 * @throws UserError if the cache cannot be private
 */
export async function cachedFolder(
  name: string,
  identity: string,
  create: (fresh: string) => Promise<void>,
): Promise<string> {
  const key = await userKey();
  if (key === undefined) return await folderOfThisRun(create);
  const { folder, stamp } = locate(key, await privateFolder(path.dirname(name)), name, identity);
  if (await hasStamp(folder, stamp)) return folder;
  const fresh = await mkdtemp(`${path.dirname(folder)}-`);
  try {
    await create(fresh);
    await writeFile(path.join(fresh, STAMP), stamp);
    await removeOthers(folder, stamp);
    // Another run may have created the same folder meanwhile.
    await rename(fresh, folder).catch(async (error) => {
      if (!(await hasStamp(folder, stamp))) throw error;
    });
    return folder;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The same folder if an earlier run created it, else undefined. Creates nothing. */
export async function knownFolder(name: string, identity: string): Promise<string | undefined> {
  const cache = await realpath(cacheFolder()).catch(() => undefined);
  const key = cache === undefined ? undefined : await userKey();
  if (cache === undefined || key === undefined) return undefined;
  const { folder, stamp } = locate(key, path.join(cache, path.dirname(name)), name, identity);
  return (await hasStamp(folder, stamp)) ? await cachedFolder(name, identity, async () => {}) : undefined;
}

/** A folder for this run only, for content that depends on more than an identity, or if the user has no key. */
export async function folderOfThisRun(create: (fresh: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gymgen-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await create(folder);
  return folder;
}

/** The folder for the bytecode of Python servers; undefined if the cache cannot be private. */
export async function bytecodeFolder(): Promise<string | undefined> {
  if ((await userKey()) === undefined) return undefined;
  return await cachedFolder('bytecode', '', async () => {}).catch(() => undefined);
}

/** The real path of a folder of the cache. It and each folder above it, up to the cache, are readable by this user only. */
async function privateFolder(below: string): Promise<string> {
  let folder = cacheFolder();
  for (const part of ['.', ...below.split('/')]) {
    folder = path.join(folder, part);
    if (await ensurePrivateFolder(folder)) continue;
    throw new UserError('the cache folder is not private', {
      where: folder,
      details: ['it must be a folder that you own and nobody else can write, and not a symlink'],
      fix: 'remove it, or set XDG_CACHE_HOME to a folder of your own',
    });
  }
  return await realpath(folder);
}

/** The path of a cached folder, and its stamp. The stamp depends on the path, so a copy of the folder is not valid. */
function locate(key: Buffer, parent: string, name: string, identity: string): { folder: string; stamp: string } {
  const mac = (use: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([use, parent, name, identity]))
      .digest('hex');
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return {
    folder: path.join(parent, `${path.basename(name)}-${digest}`, mac('path').slice(0, 16)),
    stamp: mac('stamp'),
  };
}

/** Removes an invalid cached folder, and folders of the same identity that were created with another key. */
async function removeOthers(folder: string, stamp: string): Promise<void> {
  const parent = path.dirname(folder);
  if (!(await ensurePrivateFolder(parent))) {
    await rm(parent, { recursive: true, force: true });
    await mkdir(parent, { mode: 0o700 });
  }
  for (const other of await readdir(parent)) {
    const isKept = other === path.basename(folder) && (await hasStamp(folder, stamp));
    if (!isKept) await rm(path.join(parent, other), { recursive: true, force: true });
  }
}

async function hasStamp(folder: string, expected: string): Promise<boolean> {
  const file = path.join(folder, STAMP);
  try {
    const [found, stamp] = [await lstat(folder), await lstat(file)];
    if (!found.isDirectory() || !stamp.isFile() || stamp.size !== expected.length) return false;
    return timingSafeEqual(await readFile(file), Buffer.from(expected));
  } catch {
    return false;
  }
}
