import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { ABSENT, unless } from './errno.js';
import { explained } from './explain.js';
import { type Lock, LockSchema } from './lock-schema.js';
import { LOCK_FILE, LOCK_FORMAT } from './places.js';

/**
 * The lock file of a written folder, if it has one.
 * @throws UserError where it is damaged or a newer gymgen wrote it
 */
export async function readLock(folder: string): Promise<Lock | undefined> {
  const where = join(folder, LOCK_FILE);
  const text = await explained(where, () => unless(ABSENT, readFile(where, 'utf8')));
  if (text === undefined) return undefined;
  const json = parse(text);
  const format = z.object({ format: z.int() }).safeParse(json).data?.format;
  if (format !== undefined && format > LOCK_FORMAT) {
    const what = `a newer gymgen wrote this lock file (format ${format}; this one reads ${LOCK_FORMAT})`;
    throw new UserError(what, { where, fix: 'update gymgen' });
  }
  const lock = LockSchema.safeParse(json);
  if (lock.success) return lock.data;
  throw new UserError('the lock file is damaged', {
    where,
    details: lock.error.issues.slice(0, 3).map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`),
    fix: 'restore it from version control, or move the whole folder away and write it again',
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
