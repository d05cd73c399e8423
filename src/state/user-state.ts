import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdtemp, open, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openNoFollow } from '../files.js';
import { ensurePrivateFolder, isPrivateFolder } from './private-folder.js';

/** Upper bound on the bytes of one file of the state folder. */
const MAX_BYTES = 1024 * 1024;
const KEY_BYTES = 32;

/**
 * The state folder of this user on this machine: `$XDG_STATE_HOME/gymgen`, by default `~/.local/state/gymgen` (XDG Base
 * Directory Specification 0.8). A repository cannot contain it.
 * @param isUsable checks that it is private, or creates it
 * @returns its absolute path, or undefined if it cannot be used
 */
async function stateFolder(isUsable: (folder: string) => Promise<boolean>): Promise<string | undefined> {
  const { XDG_STATE_HOME: named = '' } = process.env;
  const base = path.isAbsolute(named) ? named : path.join(os.homedir(), '.local', 'state');
  const folder = path.join(base, 'gymgen');
  return path.isAbsolute(folder) && (await isUsable(folder)) ? folder : undefined;
}

/**
 * Reads a file of the state folder. Creates nothing.
 * @param name a plain file name
 * @returns its bytes, or undefined if it does not exist or cannot be read
 */
export async function readState(name: string): Promise<Buffer | undefined> {
  let file: FileHandle | undefined;
  try {
    const folder = await stateFolder(isPrivateFolder);
    if (folder === undefined) return undefined;
    file = await openNoFollow(path.join(folder, name));
    if (!file) return undefined;
    const found = await file.stat();
    // gymgen creates files with mode 0600. A file that came with a checkout can be read by others.
    const isPrivate = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
    return isPrivate && found.size <= MAX_BYTES ? await file.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

/**
 * Replaces a file of the state folder atomically.
 * @param name a plain file name
 * @returns false if the state folder cannot be written
 */
export function writeState(name: string, content: string | Buffer): Promise<boolean> {
  return putState(name, content, rename);
}

/** @param put `rename` replaces an existing file; `link` fails if the file exists */
async function putState(name: string, content: string | Buffer, put: typeof rename): Promise<boolean> {
  let draft: string | undefined;
  try {
    const folder = await stateFolder(ensurePrivateFolder);
    if (folder === undefined) return false;
    draft = await mkdtemp(path.join(folder, '.new-'));
    const staged = await open(path.join(draft, name), 'wx', 0o600);
    await staged.writeFile(content).finally(() => staged.close());
    await put(path.join(draft, name), path.join(folder, name));
    return true;
  } catch {
    return false;
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * A secret of this user on this machine: 32 random bytes, created on first use.
 * @returns undefined if the state folder cannot be written
 */
export async function userKey(): Promise<Buffer | undefined> {
  const found = await readState('key');
  if (found?.length === KEY_BYTES) return found;
  // If several processes create a key at the same time, all use the first one. A damaged key is replaced.
  await putState('key', randomBytes(KEY_BYTES), found === undefined ? link : rename);
  return knownKey();
}

/** The same secret, if it exists. Creates nothing. */
export async function knownKey(): Promise<Buffer | undefined> {
  const key = await readState('key');
  return key?.length === KEY_BYTES ? key : undefined;
}
