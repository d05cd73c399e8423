// Each function handles the errors that its description names. Any other error becomes a UserError that names the path.

import { type Dirent, type Stats, writeSync } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, makeFolders, orUndefined, readNoFollow, translateErrors, translateReadErrors } from '../files.js';

/** Error codes for a folder that is not empty. */
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'];

export const CHOOSE_ROOT = 'choose another Gym root';

/** Kind and metadata of the entry at a path; undefined if there is none. A symlink is not followed. */
export function look(path: string): Promise<Stats | undefined> {
  return translateReadErrors(path, lstat(path));
}

/** Whether anything exists at a path, such as a broken symlink. */
export async function exists(path: string): Promise<boolean> {
  return (await look(path)) !== undefined;
}

/** The entries of a folder; undefined if it does not exist. */
export function entriesOf(folder: string): Promise<Dirent[] | undefined> {
  return translateReadErrors(folder, readdir(folder, { withFileTypes: true }));
}

/** As `readNoFollow`; undefined if the file does not exist. */
export function readFileAt(path: string, maxBytes: number): Promise<Buffer | 'too-large' | 'not-a-file' | undefined> {
  return translateReadErrors(path, readNoFollow(path, maxBytes));
}

export function notFolder(where: string): UserError {
  return new UserError('not a folder', { where, fix: `move the file away, or ${CHOOSE_ROOT}` });
}

/**
 * The nearest existing folder at or above `path`. Symlinks are followed.
 * @throws UserError if a file or a broken symlink is in its place
 */
export async function nearestFolder(path: string): Promise<{ path: string; device: number }> {
  let at = resolve(path);
  let found = await lookThrough(at);
  while (!found) {
    at = dirname(at);
    found = await lookThrough(at);
  }
  if (!found.isDirectory()) throw notFolder(at);
  return { path: at, device: found.dev };
}

async function lookThrough(path: string): Promise<Stats | undefined> {
  const found = await translateReadErrors(path, stat(path));
  if (found) return found;
  const link = await look(path);
  if (!link?.isSymbolicLink()) return link; // another run may have created it meanwhile
  throw new UserError('broken symlink', {
    where: path,
    fix: 'create the folder that the symlink points to, or remove the symlink',
  });
}

/** As `nearestFolder`. @throws UserError also if new files cannot be created in that folder */
export async function assertWritable(path: string): Promise<{ path: string; device: number }> {
  for (;;) {
    const folder = await nearestFolder(path);
    const writable = access(folder.path, constants.W_OK | constants.X_OK).then(() => true);
    // ENOENT: another run has removed its empty folder meanwhile.
    if (await translateErrors(folder.path, () => orUndefined(ABSENT, writable))) return folder;
  }
}

/** Creates a folder and its missing parents. @returns the first folder that was created, or undefined if all exist */
export function createFolders(path: string): Promise<string | undefined> {
  return translateErrors(path, () => makeFolders(path));
}

/** Creates a folder. @throws UserError also if it exists */
export async function createFolder(path: string): Promise<void> {
  await translateErrors(path, () => mkdir(path));
}

/** Creates a folder, unless it exists or its parent does not. */
export async function ensureFolder(path: string): Promise<void> {
  await translateErrors(path, () => orUndefined(['EEXIST', 'ENOENT'], mkdir(path)));
}

/** Creates a file. @returns undefined if something exists at the path, or if its folder does not exist */
export function createFile(path: string): Promise<FileHandle | undefined> {
  return translateErrors(path, () => orUndefined(['EEXIST', 'ENOENT'], open(path, 'wx')));
}

/** Bytes after which a file is synced while it is being written: the disk works while the server sends more tasks. */
const SYNC_EVERY = 32 * 2 ** 20;

/** Creates a file, with its missing folders, and writes all chunks to it. */
export async function writeNewFile(path: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  await createFolders(dirname(path));
  const file = await translateErrors(path, () => open(path, 'wx'));
  let syncing: Promise<void> = Promise.resolve();
  try {
    let unsynced = 0;
    for await (const chunk of chunks) {
      // Not around the loop, because a failure of the source is not a disk error.
      await translateErrors(path, async () => writeAll(file, chunk));
      unsynced += chunk.length;
      if (unsynced < SYNC_EVERY) continue;
      await syncing;
      syncing = translateErrors(path, () => file.datasync());
      syncing.catch(() => undefined); // reported when awaited
      unsynced = 0;
    }
    await syncing;
  } finally {
    await Promise.allSettled([syncing]);
    await translateErrors(path, () => file.close());
  }
}

/** Synchronous, because handing a chunk to another thread takes longer than copying it to the page cache. */
function writeAll({ fd }: FileHandle, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
}

/** Moves a file to a path, replacing an existing file, and creates missing folders. Does nothing if there is no such file. */
export async function moveFile(from: string, to: string): Promise<void> {
  const found = await look(from);
  if (!found) return;
  if (!found.isFile()) throw new UserError('not a regular file', { where: from, fix: 'move it away' });
  await translateErrors(to, async () => {
    const moved = rename(from, to).then(() => true);
    if (await orUndefined(ABSENT, moved)) return;
    await makeFolders(dirname(to));
    await rename(from, to);
  });
}

/**
 * Moves a folder to a path that does not exist, in one step.
 * @returns false if a folder or file has been created there meanwhile, or if the file system does not move folders
 */
export async function moveFolder(from: string, to: string): Promise<boolean> {
  return translateErrors(to, async () => {
    const moved = rename(from, to).then(() => true);
    return (await orUndefined([...NOT_EMPTY, 'ENOTDIR', 'EXDEV', 'EPERM'], moved)) ?? false;
  });
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await translateErrors(path, () => orUndefined(ABSENT, unlink(path)));
}

/** Removes a file or a folder with everything in it, if it exists. Symlinks are removed, not followed. */
export async function removeAll(path: string): Promise<void> {
  await translateErrors(path, () => rm(path, { recursive: true, force: true }));
}

/** Removes a folder if it is empty. @returns whether it is gone */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  return translateErrors(path, async () => {
    const removed = orUndefined(ABSENT, rmdir(path)).then(() => true);
    return (await orUndefined(NOT_EMPTY, removed)) ?? false;
  });
}

/** Waits until the content of these files outlasts a power failure. */
export async function syncFiles(paths: Iterable<string>): Promise<void> {
  await mapConcurrent(paths, (path) => translateErrors(path, () => sync(path, 'r+')));
}

/** Waits until the entries of the folders of these files, and of the folders above up to `top`, outlast a power failure. */
export async function syncFoldersOf(paths: Iterable<string>, top: string): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); !folders.has(at); at = dirname(at)) {
      folders.add(at);
      if (at === top) break;
    }
  }
  // Not every operating system opens or syncs folders, and the folder of a deleted file may be gone.
  const harmless = ['ENOENT', 'EISDIR', 'EINVAL', 'EPERM', 'EACCES'];
  await mapConcurrent(folders, (folder) => translateErrors(folder, () => orUndefined(harmless, sync(folder, 'r'))));
}

async function sync(path: string, flags: string): Promise<void> {
  const file = await open(path, flags);
  await file.sync().finally(() => file.close());
}

/**
 * Runs a step for each item, all at the same time.
 * @returns the results, in the order of the items
 * @throws the error of the first item whose step failed, once all have ended
 */
export async function mapConcurrent<T, R>(items: Iterable<T>, step: (item: T) => Promise<R>): Promise<R[]> {
  const settled = await Promise.allSettled([...items].map(step));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
