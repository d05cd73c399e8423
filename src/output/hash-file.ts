import { open, readFile } from 'node:fs/promises';
import { Digest } from './digest.js';
import { hashText } from './hash-text.js';

/** Bytes that are read at once. */
const AT_ONCE = 256 * 1024;

/** The hash of a file on disk, read piece by piece unless lines of it are settings, which only small files have. */
export async function hashFile(path: string, settings?: RegExp): Promise<string> {
  if (settings) return hashText(await readFile(path, 'utf8'), settings);
  const digest = new Digest();
  const file = await open(path);
  try {
    // One piece of memory for all: a stream would leave a new one behind for each.
    const memory = Buffer.allocUnsafeSlow(AT_ONCE);
    for (;;) {
      const { bytesRead } = await file.read(memory);
      if (bytesRead === 0) return digest.end();
      digest.update(memory.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
