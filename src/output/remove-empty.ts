import { rmdir } from 'node:fs/promises';
import { errno, FILLED } from '../files.js';

/** Removes a folder that holds nothing; tells whether it is gone. */
export async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const code = errno(error) ?? '';
    if (FILLED.includes(code)) return false;
    if (code === 'ENOENT') return true;
    throw error;
  }
}
