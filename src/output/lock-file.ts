import { join } from 'node:path';
import * as z from 'zod';
import { safeJson } from '../display-text.js';
import { UserError } from '../errors.js';
import { exceededLimit } from '../json/bounds.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import type { Generated, JsonValue } from '../model.js';
import { gymgenCommand, shellQuote } from '../printed-command.js';
import { readFileAt } from './fs.js';
import { folded, isSafePath, isShortPath, LOCK_FILE } from './paths.js';

const LOCK_FORMAT = 2;

// A lock file may come with a repository of someone else, and files that it lists get deleted: its paths are checked.
const Path = z
  .string()
  .refine(
    (path) => isShortPath(path) && isSafePath(path) && folded(path) !== folded(LOCK_FILE),
    'not a path inside the folder',
  );
const Hash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'not a hash');

/** The content of `gymgen.lock.json`. Keys of a later gymgen are ignored; it raises `format` if that could mislead. */
export const LockSchema = z.looseObject({
  format: z
    .union([z.literal(1), z.literal(LOCK_FORMAT)])
    .describe('Raised if an older gymgen would misread the file. It then rejects the file.'),
  generator: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The revision of what gymgen generates: of its templates and of the written server. Format 1 has revision 0.',
    ),
  source: z
    .string()
    .optional()
    .describe(
      "Where the config finds the tasks: a URL, a bundle's folder (relative to the config's) or a bundle's name.",
    ),
  sandbox: z
    .string()
    .min(1)
    .optional()
    .describe("The sandbox provider that the config names for a bundle's environments."),
  options: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'The command-line options that decide what is written, by their name in camel case. A closed list: docs/lock.md.',
    ),
  toolsets: z
    .array(z.looseObject({ key: z.string(), tools: z.array(z.string()), turns: z.int() }))
    .optional()
    .describe("A summary of the server's toolsets; toolsets.json has them in full."),
  files: z
    .record(Path, Hash)
    .describe(
      'The SHA-256 of each file as it was generated, with CR LF read as LF, without settings and without kept prompts.',
    ),
  theirs: z
    .record(Path, Hash)
    .optional()
    .describe('The SHA-256 of each edited file whose edits are kept (gymgen update --theirs).'),
  keptPrompts: z
    .array(Path)
    .optional()
    .describe('Row files with edited prompts that are kept (gymgen update --keep-prompts).'),
  prompts: z
    .record(Path, z.union([z.base64(), z.array(z.base64())]))
    .optional()
    .describe(
      'By row file, a checksum of each generated prompt: the first 24 bits of the CRC-32 of its input. In lines of 20 rows; one text in format 1.',
    ),
});

/** The content of a lock file: what the folder was generated from, and the hash of every file as it was generated. */
export type Lock = z.infer<typeof LockSchema>;

/** The fingerprints of the prompts of a file of rows, in base64. */
export function lockedPrompts(lock: Lock | undefined, path: string): string | undefined {
  const prompts = lock?.prompts?.[path];
  return Array.isArray(prompts) ? prompts.join('') : prompts;
}

/** Three bytes in base64. */
const CHARACTERS_OF_ROW = 4;

/** Number of rows of a file as it was generated; undefined if the lock file does not say. */
export function lockedRows(lock: Lock | undefined, path: string): number | undefined {
  const prompts = lockedPrompts(lock, path);
  return prompts === undefined ? undefined : prompts.length / CHARACTERS_OF_ROW;
}

/** Keys whose entries are files. */
const FILE_KEYS = ['files', 'theirs', 'keptPrompts', 'prompts'];

/** The files that a lock file lists, by path. */
export interface LockedFiles {
  generated: ReadonlyMap<string, Generated>;
  /** Edited files that are no longer generated, with their hash as they were generated. */
  left: ReadonlyMap<string, string>;
  /** Edited files that are kept, with their hash as they are. */
  theirs: ReadonlyMap<string, string>;
}

/** The text of a lock file: the record of the run, then the files, sorted. */
export function lockText(record: Record<string, JsonValue>, { generated, left, theirs }: LockedFiles): string {
  for (const key of ['format', ...FILE_KEYS]) {
    if (key in record) throw new Error(`key of the lock file in the record of the run: ${key}`);
  }
  const sorted = byPath(generated);
  const hashes = new Map([...left, ...sorted.map(([path, { hash }]) => [path, hash] as const)]);
  const keptPrompts = sorted.flatMap(([path, { kept }]) => (kept && kept.count > 0 ? [path] : []));
  const prompts = sorted.flatMap(([path, file]) => (file.prompts ? [[path, linesOf(file.prompts)]] : []));
  const lock = {
    format: LOCK_FORMAT,
    ...record,
    files: Object.fromEntries(byPath(hashes)),
    ...(theirs.size > 0 && { theirs: Object.fromEntries(byPath(theirs)) }),
    ...(keptPrompts.length > 0 && { keptPrompts }),
    ...(prompts.length > 0 && { prompts: Object.fromEntries(prompts) }),
  };
  return `${safeJson(lock, 2)}\n`;
}

/** Twenty rows per line, so that git can merge and show changes. */
const LINE = 20 * CHARACTERS_OF_ROW;

function linesOf(prompts: string): string[] {
  const count = Math.ceil(prompts.length / LINE);
  return Array.from({ length: count }, (_, at) => prompts.slice(at * LINE, (at + 1) * LINE));
}

function byPath<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Nothing reads the toolsets back, and there may be many. */
const ReadSchema = LockSchema.omit({ toolsets: true });

const RESTORE = 'restore it from version control, or move the whole folder away and write it again';

/**
 * Reads the lock file of a written folder.
 * @returns undefined if the folder has none
 * @throws UserError if it is damaged, too large or not a regular file, or if a newer gymgen wrote it
 */
export async function readLock(folder: string): Promise<Lock | undefined> {
  const where = join(folder, LOCK_FILE);
  const bytes = await readFileAt(where, LIMITS.lockBytes);
  if (bytes === undefined) return undefined;
  if (bytes === 'not-a-file') throw new UserError('lock file is not a regular file', { where, fix: RESTORE });
  if (bytes === 'too-large') throw overLimit('lockBytes', { where, fix: RESTORE });
  const exceeded = exceededLimit(bytes, LIMITS.lockDepth);
  if (exceeded === 'jsonValues') throw overLimit('jsonValues', { where, fix: RESTORE });
  if (exceeded === 'jsonDepth') throw overLimit('lockDepth', { where, fix: RESTORE });
  const json = parse(withoutMark(bytes).toString(), where);
  const format = z.object({ format: z.int() }).safeParse(json).data?.format;
  if (format !== undefined && format > LOCK_FORMAT) {
    const what = `lock file is from a newer gymgen (format ${format}, not ${LOCK_FORMAT})`;
    throw new UserError(what, { where, fix: 'update gymgen' });
  }
  for (const key of FILE_KEYS) {
    if (sizeOf(json, key) > LIMITS.lockFiles) throw overLimit('lockFiles', { where: `${where}: ${key}`, fix: RESTORE });
  }
  const lock = ReadSchema.safeParse(json);
  if (lock.success) return lock.data;
  throw new UserError('lock file is damaged', { where, details: describeIssues(lock.error), fix: RESTORE });
}

function sizeOf(json: unknown, key: string): number {
  const value = typeof json === 'object' && json !== null && (json as Record<string, unknown>)[key];
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** How git marks the first line of a conflict. */
const CONFLICT = /^<{7}(?: |\r?$)/m;

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const conflict = CONFLICT.exec(text);
    if (!conflict) return undefined;
    const line = text.slice(0, conflict.index).split('\n').length;
    throw new UserError('lock file has unresolved merge conflicts', {
      where: `${where}:${line}`,
      fix: `take one side, such as git checkout --ours -- ${shellQuote(where)}, then run ${gymgenCommand`update <gym-root>`}`,
    });
  }
}

/** Upper bounds on the issues of an error message, and on the characters of each part. */
const MAX_ISSUES = 3;
const MAX_LENGTH = 200;

/**
 * Describes the issues of a failed schema check in a few short lines.
 * @param parents keys that lead to the checked value
 */
export function describeIssues({ issues }: z.ZodError, parents: readonly string[] = []): string[] {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const place = [...parents, ...path].join('.') || 'the file';
    return `${shortened(place)}: ${shortened(message)}`;
  });
  return issues.length > MAX_ISSUES ? [...lines, `and ${issues.length - MAX_ISSUES} more`] : lines;
}

function shortened(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
