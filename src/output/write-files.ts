import { rmdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders, orUndefined, translateErrors } from '../files.js';
import { withDraft } from './single-file.js';

export interface NewFile {
  /** Absolute path. */
  target: string;
  content: string | AsyncIterable<string>;
}

/**
 * Writes files. All drafts are complete before the first file takes its place, so a failure leaves all files as they were.
 * Missing folders are created, and removed after a failure.
 */
export async function writeFiles(files: readonly NewFile[]): Promise<void> {
  const folders = [...new Set(files.map(({ target }) => dirname(target)))];
  const created: { folder: string; first: string }[] = [];
  try {
    for (const folder of folders) {
      const first = await translateErrors(folder, () => makeFolders(folder));
      if (first !== undefined) created.push({ folder, first });
    }
    await writeDrafts(files);
  } catch (error) {
    for (const each of created.reverse()) await removeEmpty(each);
    throw error;
  }
}

async function writeDrafts([first, ...others]: readonly NewFile[]): Promise<void> {
  if (!first) return;
  await withDraft(first.target, async (draft) => {
    await translateErrors(first.target, () => writeFile(draft, first.content, { flag: 'wx' }));
    await writeDrafts(others);
  });
}

/** Removes the folders from `folder` up to `first` that are empty. */
async function removeEmpty({ folder, first }: { folder: string; first: string }): Promise<void> {
  for (let at = folder; at.length >= first.length; at = dirname(at)) {
    const isRemoved = await orUndefined(
      ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EBUSY', 'EPERM', 'EACCES'],
      rmdir(at).then(() => true),
    );
    if (!isRemoved) return;
  }
}
