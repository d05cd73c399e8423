import type { FileHandle } from 'node:fs/promises';
import { LIMITS } from '../limits.js';
import { Digest } from './digest.js';
import { hashText } from './hash-text.js';
import { openRegular } from './regular-file.js';

/** Bytes that are read at once. */
const AT_ONCE = 256 * 1024;

/**
 * The hash of a file on disk, read piece by piece.
 * @param settings lines to leave out, as in `hashText`; ignored in a file that is larger than a config may be
 * @returns undefined if `path` is a symlink or otherwise not a regular file
 * @throws an error of the operating system, such as ENOENT
 */
export async function hashFile(path: string, settings?: RegExp): Promise<string | undefined> {
  const file = await openRegular(path);
  if (!file) return undefined;
  try {
    if (settings && (await file.stat()).size <= LIMITS.configBytes) {
      return hashText(await file.readFile('utf8'), settings);
    }
    return await hashPieces(file);
  } finally {
    await file.close();
  }
}

async function hashPieces(file: FileHandle): Promise<string> {
  const digest = new Digest();
  // One piece of memory for all: a stream would leave a new one behind for each.
  const memory = Buffer.allocUnsafeSlow(AT_ONCE);
  for (;;) {
    const { bytesRead } = await file.read(memory);
    if (bytesRead === 0) return digest.end();
    digest.update(memory.subarray(0, bytesRead));
  }
}
