import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { exceededLimit } from '../json/bounds.js';
import { LIMITS, overLimit } from '../limits.js';
import { readFileAt } from './fs.js';
import { describeIssues } from './lock-file.js';

/** The file that lists what gymgen wrote into a folder that it replaces as a whole. */
export const RECORD_FILE = 'gymgen.package.json';

/** Paths are compared with those on disk and never opened, so they are not checked. */
const Record = z.looseObject({
  format: z.literal(1),
  /** SHA-256 of each file as it was written. */
  files: z.record(z.string(), z.string()),
});

export type WholeRecord = z.infer<typeof Record>;

const FIX = 'choose another folder, or move this one away';

/** @throws UserError if the folder has no record, or if the record is damaged */
export async function readRecord(folder: string): Promise<WholeRecord> {
  const where = join(folder, RECORD_FILE);
  const bytes = await readFileAt(where, LIMITS.lockBytes);
  if (bytes === undefined) {
    throw new UserError(`folder was not written by gymgen (no ${RECORD_FILE})`, { where: folder, fix: FIX });
  }
  if (bytes === 'not-a-file') throw new UserError('not a regular file', { where, fix: FIX });
  if (bytes === 'too-large') throw overLimit('lockBytes', { where, fix: FIX });
  const exceeded = exceededLimit(bytes, LIMITS.lockDepth);
  if (exceeded) throw overLimit(exceeded === 'jsonDepth' ? 'lockDepth' : exceeded, { where, fix: FIX });
  const record = Record.safeParse(parsed(bytes));
  if (record.success) return record.data;
  throw new UserError('record of the folder is damaged', { where, details: describeIssues(record.error), fix: FIX });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
