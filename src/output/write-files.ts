import { writeFile } from 'node:fs/promises';
import { translateErrors } from '../files.js';
import { withDraft } from './target-file.js';

export interface NewFile {
  /** Absolute path. */
  target: string;
  content: string | AsyncIterable<string>;
}

/**
 * Writes files. All drafts are complete before the first file takes its place, so a failure leaves all files as they were.
 * Missing folders are created.
 */
export async function writeFiles([first, ...others]: readonly NewFile[]): Promise<void> {
  if (!first) return;
  await withDraft(first.target, async (draft) => {
    await translateErrors(first.target, () => writeFile(draft, first.content, { flag: 'wx' }));
    await writeFiles(others);
  });
}
