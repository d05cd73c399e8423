import { chmod, lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { makeFolders, orUndefined } from '../files.js';

/**
 * Creates a folder that only this user can read and write (mode 0700), or checks an existing one.
 * @param folder absolute path
 * @returns false if it cannot be created, is a symlink, belongs to another user, or was writable for others
 */
export async function ensurePrivateFolder(folder: string): Promise<boolean> {
  try {
    await makeFolders(path.dirname(folder));
    await orUndefined(['EEXIST'], mkdir(folder, { mode: 0o700 }));
    if (!(await isPrivateFolder(folder))) return false;
    if (process.getuid && ((await lstat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700); // others could read it
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a folder exists that only this user can write to. Creates and changes nothing.
 * @param folder absolute path
 */
export async function isPrivateFolder(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    if (!found.isDirectory()) return false;
    if (process.getuid === undefined) return true; // Windows has no modes
    return found.uid === process.getuid() && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
