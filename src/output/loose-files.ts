// Files outside a Gym root: recordings, reports, and configs of trainers.

import { rmSync } from 'node:fs';
import { lstat, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../errors.js';
import { makeFolders, orUndefined, translateErrors } from '../files.js';
import { cleanOnForcedExit, noteWritten } from '../shutdown.js';

/**
 * The absolute path of the regular file to write, which need not exist. Symlinks are followed, because a rename would
 * replace the symlink itself. For the same reason, named pipes and devices are rejected.
 * @param example name of such a file, for the message
 * @throws UserError if something other than a file exists there
 */
export async function targetFile(file: string, example: string): Promise<string> {
  const here = path.resolve(file);
  const entry = await orUndefined(['ENOENT'], lstat(here));
  if (!entry) return here;
  const target = entry.isSymbolicLink() ? await orUndefined(['ENOENT'], stat(here)) : entry;
  if (target === undefined) {
    throw new UserError('broken symlink', {
      where: file,
      fix: 'create the file that the symlink points to, or remove the symlink',
    });
  }
  if (!target.isFile()) {
    throw new UserError(target.isDirectory() ? 'is a folder, not a file' : 'not a regular file', {
      where: file,
      fix: `name a new file, such as ${example}`,
    });
  }
  return await realpath(here);
}

/**
 * Writes a file atomically: `write` fills a draft in the same folder, which is then renamed to the file. Missing
 * folders are created.
 * @param target an absolute path
 * @param write is called with the path of the draft, and with that of a scratch file, which is removed
 */
export async function withDraft<T>(target: string, write: (draft: string, scratch: string) => Promise<T>): Promise<T> {
  const [draft, scratch] = [`${target}.${process.pid}.tmp`, `${target}.${process.pid}.scratch.tmp`];
  const release = cleanOnForcedExit(() => {
    for (const file of [draft, scratch]) rmSync(file, { force: true });
  });
  try {
    await translateErrors(target, () => makeFolders(path.dirname(target)));
    const result = await write(draft, scratch);
    await translateErrors(target, () => rename(draft, target));
    noteWritten(target);
    return result;
  } finally {
    for (const file of [draft, scratch]) await rm(file, { force: true });
    release();
  }
}

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
  const folders = [...new Set(files.map(({ target }) => path.dirname(target)))];
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
  for (let at = folder; at.length >= first.length; at = path.dirname(at)) {
    const isRemoved = await orUndefined(
      ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EBUSY', 'EPERM', 'EACCES'],
      rmdir(at).then(() => true),
    );
    if (!isRemoved) return;
  }
}
