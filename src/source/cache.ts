import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../errors.js';
import { ensurePrivateFolder } from '../private-folder.js';
import { userKey } from '../state/user-state.js';

/** The file of a cached folder that proves who made it. */
const STAMP = 'gymgen-stamp';

/** Where gymgen keeps what it installs: `$XDG_CACHE_HOME/gymgen`, if that is an absolute path, else `~/.cache/gymgen`. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME: named = '' } = process.env;
  return path.join(path.isAbsolute(named) ? named : path.join(homeFolder(), '.cache'), 'gymgen');
}

/** The user's home folder. A user that the system does not know, as in some containers, has `/`, as for most programs. */
export function homeFolder(): string {
  try {
    return path.resolve('/', os.homedir());
  } catch {
    return path.resolve('/');
  }
}

/**
 * A folder of the cache, made once. A cache may lie in a checkout and come with it, so a folder counts only if it has
 * the stamp that this user's key gives it; any other one is made again.
 * @param name relative path; a digest of `identity` is appended
 * @param identity all that decides what is in the folder
 * @param make fills an empty folder, which is then moved
 * @throws UserError if the cache cannot be private
 */
export async function cachedFolder(
  name: string,
  identity: string,
  make: (fresh: string) => Promise<void>,
): Promise<string> {
  const known = await knownFolder(name, identity);
  if (known !== undefined) return known;
  if ((await userKey()) === undefined) return await folderOfThisRun(make);
  await ensurePrivate(cacheFolder(), path.dirname(name));
  const folder = await realFolder(name, identity);
  const fresh = await mkdtemp(`${folder}-`);
  try {
    await make(fresh);
    await writeFile(path.join(fresh, STAMP), (await stampOf(folder, identity)) ?? '');
    if (!(await isStamped(folder, identity))) {
      await rm(folder, { recursive: true, force: true });
      // Another run may have been quicker, and its folder is as good.
      await rename(fresh, folder).catch(async (error) => {
        if (!(await isStamped(folder, identity))) throw error;
      });
    }
    return folder;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The same folder if an earlier run made it; nothing is created. */
export async function knownFolder(name: string, identity: string): Promise<string | undefined> {
  const folder = await realFolder(name, identity).catch(() => undefined);
  if (folder === undefined || !(await isStamped(folder, identity))) return undefined;
  await ensurePrivate(cacheFolder(), path.dirname(name));
  return folder;
}

/** A folder for this run only: if it cannot be recognised later, or what is in it depends on more than its identity. */
export async function folderOfThisRun(make: (fresh: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gymgen-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await make(folder);
  return folder;
}

/** Where the Python that gymgen serves with keeps its bytecode; undefined if the cache cannot be private. */
export async function bytecodeFolder(): Promise<string | undefined> {
  if ((await userKey()) === undefined) return undefined;
  return await cachedFolder('bytecode', '', async () => {}).catch(() => undefined);
}

async function realFolder(name: string, identity: string): Promise<string> {
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const parent = await realpath(path.join(cacheFolder(), path.dirname(name)));
  return path.join(parent, `${path.basename(name)}-${digest}`);
}

/** The cache, and each folder in it on the way to `below`. */
async function ensurePrivate(cache: string, below: string): Promise<void> {
  let folder = cache;
  for (const part of ['.', ...below.split('/')]) {
    folder = path.join(folder, part);
    if (await ensurePrivateFolder(folder)) continue;
    throw new UserError('the cache folder is not private', {
      where: folder,
      details: ['it must be a folder that you own and nobody else can write, and not a symlink'],
      fix: 'remove it, or set XDG_CACHE_HOME to a folder of your own',
    });
  }
}

async function isStamped(folder: string, identity: string): Promise<boolean> {
  const expected = await stampOf(folder, identity);
  const file = path.join(folder, STAMP);
  try {
    const [found, stamp] = [await lstat(folder), await lstat(file)];
    if (expected === undefined || !found.isDirectory() || !stamp.isFile() || stamp.size !== expected.length)
      return false;
    return timingSafeEqual(await readFile(file), Buffer.from(expected));
  } catch {
    return false;
  }
}

/** Holds for this path only, so that a copy elsewhere counts for nothing. */
async function stampOf(folder: string, identity: string): Promise<string | undefined> {
  const key = await userKey();
  return (
    key &&
    createHmac('sha256', key)
      .update(JSON.stringify([folder, identity]))
      .digest('hex')
  );
}
