import { writeFile } from 'node:fs/promises';
import { replaceableText, withDraft } from '../output/index.js';

/** `same`: the file has the text already; `planned`: nothing was to be written. */
export type SignedStatus = 'wrote' | 'same' | 'planned';

/**
 * Writes a file that `signed` made, atomically.
 * @param path absolute path; `file` is the same as the user wrote it
 * @throws UserError if the existing file was edited, or is not gymgen's
 */
export async function writeSigned(
  { path, file, text }: { path: string; file: string; text: string },
  { force, dryRun }: { force: boolean; dryRun: boolean },
): Promise<SignedStatus> {
  const existing = force ? undefined : await replaceableText(path, file);
  if (dryRun) return 'planned';
  if (existing === text) return 'same';
  await withDraft(path, (draft) => writeFile(draft, text, { flag: 'wx' }));
  return 'wrote';
}
