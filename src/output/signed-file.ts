import { writeFile } from 'node:fs/promises';
import { UserError } from '../errors.js';
import { orUndefined, readRegular } from '../files.js';
import { hashText } from './hash.js';
import { withDraft } from './loose-files.js';

const SIGNATURE = /^# Written by (gymgen [a-z -]+), (sha256:[0-9a-f]{64})\n/;

/** A text whose first line names the command that wrote it, and a hash of the rest, so that later edits are noticed. */
export function signed(command: string, text: string): string {
  return `# Written by gymgen ${command}, ${hashText(text)}\n${text}`;
}

/**
 * Whether a file can be replaced without losing anything: it does not exist, or gymgen wrote it and nobody edited it.
 * @param target absolute path
 * @param file the same path as the user wrote it, for messages
 * @returns the existing text
 * @throws UserError if the file is not gymgen's, or was edited
 */
export async function replaceableText(target: string, file: string): Promise<string | undefined> {
  const bytes = await orUndefined(['ENOENT'], readRegular(target, 'configBytes'));
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  const [line, , hash] = SIGNATURE.exec(text) ?? [];
  if (line !== undefined && hashText(text.slice(line.length)) === hash) return text;
  const what = line === undefined ? 'file exists and was not written by gymgen' : 'file was edited by hand';
  throw new UserError(what, { where: file, fix: 'choose another name, or add --force to replace it' });
}

/** `same`: the file has the text already; `planned`: nothing was to be written. */
export type SignedStatus = 'wrote' | 'same' | 'planned';

/**
 * Atomically writes a file whose text was created by `signed`.
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
