import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unless } from '../files.js';

/** Waits until what was written to these files outlasts a power failure. */
export async function syncFiles(paths: Iterable<string>): Promise<void> {
  await Promise.all([...paths].map((path) => sync(path, 'r+')));
}

/** The same for what was created, renamed and removed in the folders of these files, up to `top`. */
export async function syncFoldersOf(paths: Iterable<string>, top: string): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); !folders.has(at); at = dirname(at)) {
      folders.add(at);
      if (at === top) break;
    }
  }
  // Not every system opens folders or syncs them, and a deleted file's folder may be gone.
  const harmless = ['ENOENT', 'EISDIR', 'EINVAL', 'EPERM', 'EACCES'];
  await Promise.all([...folders].map((folder) => unless(harmless, sync(folder, 'r'))));
}

/** The same for a file that is open. */
export async function syncAndClose(file: FileHandle): Promise<void> {
  await file.sync().finally(() => file.close());
}

async function sync(path: string, flags: string): Promise<void> {
  await syncAndClose(await open(path, flags));
}
