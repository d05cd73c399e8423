import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UserError } from './errors.js';
import { LIMITS, type LimitName, overLimit } from './limits.js';
import { utf8Text } from './utf8.js';

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
