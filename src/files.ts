import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { ERRNO_REASONS, UserError } from './errors.js';
import { utf8Text } from './json/utf8.js';
import { LIMITS, type LimitName, overLimit } from './limits.js';

// Windows lacks the last two.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Without O_NONBLOCK, opening a named pipe waits for a writer, in a thread that cannot be stopped. */
const READ = O_RDONLY | O_NONBLOCK;

/** Bytes that one read asks for. */
const READ_SIZE = 1024 * 1024;

/**
 * Opens a file that the user named, to read it. Symlinks are followed.
 * @throws UserError if it is not a regular file; an error of the operating system if it cannot be opened
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await openIfRegular(path, READ);
  if (!file) throw notRegular(path);
  return file;
}

/**
 * Opens a file that another program or a repository may have put there, to read it. A symlink is not followed.
 * @returns undefined if `path` is not a regular file
 * @throws an error of the operating system, such as ENOENT
 */
export async function openNoFollow(path: string): Promise<FileHandle | undefined> {
  return (await lstat(path)).isFile() ? openIfRegular(path, READ | O_NOFOLLOW) : undefined;
}

async function openIfRegular(path: string, flags: number): Promise<FileHandle | undefined> {
  const file = await open(path, flags);
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/**
 * Reads a file that the user named. Symlinks are followed.
 * @throws UserError if it is not a regular file or exceeds the limit; an error of the operating system if it cannot be read
 */
export async function readRegular(path: string, limit: LimitName): Promise<Buffer> {
  const bytes = await readAndClose(await openRegular(path), LIMITS[limit]);
  if (!bytes) throw overLimit(limit, { where: path });
  return bytes;
}

/**
 * Reads a file that another program or a repository may have put there. A symlink is not followed.
 * @param maxBytes upper bound on its size
 * @throws an error of the operating system, such as ENOENT
 */
export async function readNoFollow(path: string, maxBytes: number): Promise<Buffer | 'too-large' | 'not-a-file'> {
  const file = await openNoFollow(path);
  if (!file) return 'not-a-file';
  return (await readAndClose(file, maxBytes)) ?? 'too-large';
}

/** @returns undefined if the file has more bytes, also if it grows while it is read */
async function readAndClose(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  try {
    if ((await file.stat()).size > maxBytes) return undefined;
    const stream = file.createReadStream({ end: maxBytes, autoClose: false, highWaterMark: READ_SIZE });
    const bytes = Buffer.concat(await stream.toArray());
    return bytes.length > maxBytes ? undefined : bytes;
  } finally {
    await file.close();
  }
}

/**
 * Reads a UTF-8 file that the user named, for options, which are parsed before any work begins.
 * @throws UserError as `readRegular`, and if the file is not UTF-8
 */
export function readRegularSync(path: string, limit: LimitName): string {
  const file = openSync(path, READ);
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

/** Error codes for a path that does not exist. */
export const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** The code of an error of the operating system, such as `ENOENT`. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** The result of a call, or undefined if it fails with one of these codes. */
export async function orUndefined<T>(codes: readonly string[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codes.includes(errno(error) ?? '')) return undefined;
    throw error;
  }
}

const WRITE_REASONS: typeof ERRNO_REASONS = {
  ...ERRNO_REASONS,
  EISDIR: ['a folder exists at the path of a file', 'move it away'],
  ENOENT: ['the file system does not accept new files', 'choose another path'],
  ENOTDIR: ['a file exists at the path of a folder', 'move it away, or choose another path'],
};

/**
 * Runs a step that writes to `path`.
 * @throws UserError that names the path, instead of an error of the operating system
 */
export async function translateErrors<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw translated(error, 'cannot write', path, WRITE_REASONS);
  }
}

/** The same for a call that only reads; undefined if nothing exists at the path. */
export async function translateReadErrors<T>(path: string, call: Promise<T>): Promise<T | undefined> {
  try {
    return await orUndefined(ABSENT, call);
  } catch (error) {
    throw translated(error, 'cannot read', path, ERRNO_REASONS);
  }
}

function translated(error: unknown, problem: string, where: string, reasons: typeof ERRNO_REASONS): unknown {
  const reason = reasons[errno(error) ?? ''];
  return reason ? new UserError(`${problem}: ${reason[0]}`, { where, fix: reason[1], cause: error }) : error;
}

/**
 * Creates a folder and its missing parents, with one call for each: the recursive `mkdir` of Node.js never ends on a file
 * system that accepts no folders, such as /proc.
 * @returns the first folder that was created, or undefined if all exist
 * @throws an error of the operating system
 */
export async function makeFolders(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await orUndefined(ABSENT, stat(at))); at = dirname(at)) missing.unshift(at);
  let first: string | undefined;
  for (const folder of missing) {
    // EEXIST: another run has created it meanwhile.
    const isNew = await orUndefined(
      ['EEXIST'],
      mkdir(folder).then(() => true),
    );
    if (isNew) first ??= folder;
  }
  return first;
}

/** The absolute path without symlinks. What does not exist yet keeps its name. */
export async function realPath(path: string): Promise<string> {
  const here = resolve(path);
  const real = await orUndefined(ABSENT, realpath(here));
  return real ?? join(await realPath(dirname(here)), basename(here));
}

/** The folders of a PATH. Relative ones are left out: they would name programs of the current folder. */
export function absoluteFolders(path = process.env.PATH ?? ''): string[] {
  return path.split(delimiter).filter(isAbsolute);
}

/**
 * Finds a program on PATH, except for its relative entries.
 * @returns its absolute path, or undefined
 */
export async function which(program: string): Promise<string | undefined> {
  for (const folder of absoluteFolders()) {
    const file = join(folder, program);
    if (await isExecutable(file)) return file;
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
