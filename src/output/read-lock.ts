import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';
import { exceededLimit } from '../json/bounds.js';
import { withoutMark } from '../json/utf8.js';
import { LIMITS, overLimit } from '../limits.js';
import { gymgenCommand, shellQuote } from '../printed-command.js';
import { explained } from './explain.js';
import { type Lock, LockSchema } from './lock-schema.js';
import { LOCK_FILE, LOCK_FORMAT } from './places.js';
import { readRootFile } from './root-file.js';

/** Problems that are named, and the length of a name. */
const TOLD = 3;
const LONGEST = 200;

const RESTORE = 'restore it from version control, or move the whole folder away and write it again';

/** Keys whose entries are files. */
const BY_FILE = ['files', 'theirs', 'keptPrompts', 'prompts'];

/** Nobody reads the toolsets back, and there may be many. */
const ReadSchema = LockSchema.omit({ toolsets: true });

/**
 * Reads the lock file of a written folder.
 * @returns undefined if the folder has none
 * @throws UserError if it is damaged, too large or not a regular file, or a newer gymgen wrote it
 */
export async function readLock(folder: string): Promise<Lock | undefined> {
  const where = join(folder, LOCK_FILE);
  const bytes = await explained(where, () => unless(ABSENT, readRootFile(where, LIMITS.lockBytes)));
  if (bytes === undefined) return undefined;
  if (bytes === 'not-a-file') throw new UserError('lock file is not a regular file', { where, fix: RESTORE });
  if (bytes === 'too-large') throw overLimit('lockBytes', { where, fix: RESTORE });
  const exceeded = exceededLimit(bytes, LIMITS.lockDepth);
  if (exceeded === 'jsonValues') throw overLimit('jsonValues', { where, fix: RESTORE });
  if (exceeded === 'jsonDepth') throw overLimit('lockDepth', { where, fix: RESTORE });
  const json = parse(withoutMark(bytes).toString(), where);
  const format = z.object({ format: z.int() }).safeParse(json).data?.format;
  if (format !== undefined && format > LOCK_FORMAT) {
    const what = `a newer gymgen wrote this lock file (format ${format}; this one reads ${LOCK_FORMAT})`;
    throw new UserError(what, { where, fix: 'update gymgen' });
  }
  for (const key of BY_FILE) {
    if (entriesOf(json, key) > LIMITS.lockFiles)
      throw overLimit('lockFiles', { where: `${where}: ${key}`, fix: RESTORE });
  }
  const lock = ReadSchema.safeParse(json);
  if (lock.success) return lock.data;
  throw new UserError('the lock file is damaged', { where, details: told(lock.error), fix: RESTORE });
}

/**
 * What a schema refuses, in a few short lines.
 * @param before keys on the way to the value that was checked
 */
export function told({ issues }: z.ZodError, before: readonly string[] = []): string[] {
  const lines = issues.slice(0, TOLD).map(({ path, message }) => {
    const place = [...before, ...path].join('.') || 'the file';
    return `${cut(place)}: ${cut(message)}`;
  });
  return issues.length > TOLD ? [...lines, `and ${issues.length - TOLD} more`] : lines;
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function entriesOf(json: unknown, key: string): number {
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
