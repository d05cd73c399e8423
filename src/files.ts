import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { access, type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { UserError } from './errors.js';
import { utf8Text } from './json/utf8.js';
import { LIMITS, type LimitName, overLimit } from './limits.js';

/** Opening a named pipe would wait for its writer, in a thread that nothing ends. Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file to read it.
 * @throws UserError if it is a named pipe, a device or a folder; the file system's own error if it cannot be opened
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS);
  try {
    if ((await file.stat()).isFile()) return file;
    throw notRegular(path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * The whole text of a file.
 * @param limit of its bytes
 * @throws UserError if it is not a regular file, or larger; the file system's own error if it cannot be read
 */
export async function readRegular(path: string, limit: LimitName): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    if ((await file.stat()).size > LIMITS[limit]) throw overLimit(limit, { where: path });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * The text of a UTF-8 file, for options, which are read before any work begins.
 * @throws UserError also if it is not UTF-8
 */
export function readRegularSync(path: string, limit: LimitName): string {
  const file = openSync(path, FLAGS);
  try {
    if (!fstatSync(file).isFile()) throw notRegular(path);
    const bytes = Buffer.alloc(LIMITS[limit] + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      read = readSync(file, bytes, size, bytes.length - size, null);
    if (size > LIMITS[limit]) throw overLimit(limit, { where: path });
    return utf8Text(bytes.subarray(0, size), path);
  } finally {
    closeSync(file);
  }
}

function notRegular(path: string): UserError {
  return new UserError('not a regular file', { where: path, fix: 'write it to a file first, and name that file' });
}

/** The code of an error of the operating system, `ENOENT` and the like. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** `undefined` in place of an error of one of these codes. */
export async function unless<T>(codes: readonly string[], step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (codes.includes(errno(error) ?? '')) return undefined;
    throw error;
  }
}

/** What a look at a path that isn't there may answer. */
export const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** What the removal of a folder that still holds something may answer. */
export const FILLED: readonly string[] = ['ENOTEMPTY', 'EEXIST'];

/**
 * Creates a folder and its missing parents, each with one call: the recursive `mkdir` of Node.js never ends on a file system
 * that takes no folders, such as /proc.
 * @returns the first folder that was created, or undefined if all exist
 * @throws an error of the operating system
 */
export async function makeFolders(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await unless(ABSENT, stat(at))); at = dirname(at)) missing.unshift(at);
  let first: string | undefined;
  for (const folder of missing) {
    // Another run may create it meanwhile.
    const isNew = await unless(
      ['EEXIST'],
      mkdir(folder).then(() => true),
    );
    if (isNew) first ??= folder;
  }
  return first;
}

/**
 * Finds a program on PATH. Relative entries of PATH are skipped: they would name programs of the current folder.
 * @returns its absolute path, or undefined
 */
export async function which(program: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, program);
    if (isAbsolute(folder) && (await isExecutable(file))) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
