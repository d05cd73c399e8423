import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants; // Windows lacks the last two

/**
 * Opens a file that another program or a repository may have put there, to read it. A symlink is never followed, and a FIFO
 * never waited for.
 * @returns undefined if `path` is not a regular file
 * @throws an error of the operating system, such as ENOENT
 */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  if (!(await lstat(path)).isFile()) return undefined;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/**
 * Reads a regular file of limited size.
 * @param most upper bound on its bytes
 * @returns its bytes, `too-large`, or `not-a-file`
 * @throws an error of the operating system, such as ENOENT
 */
export async function readRegular(path: string, most: number): Promise<Buffer | 'too-large' | 'not-a-file'> {
  const file = await openRegular(path);
  if (!file) return 'not-a-file';
  try {
    const { size } = await file.stat();
    if (size > most) return 'too-large';
    // The file may grow meanwhile: read as far as its size was.
    const bytes = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
