import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { ABSENT, unless } from './errno.js';
import type { Places } from './places.js';
import { isSafePath } from './safe-path.js';
import { syncFiles, syncFoldersOf } from './sync.js';

// Whoever wrote the folder that we work in may have written this too, and it says what to delete.
const Paths = z.array(z.string().refine(isSafePath));
const Journal = z.object({ format: z.literal(1), writes: Paths, deletes: Paths });

/** What a commit does to the folder: paths to write, in order, and to delete. */
export type Changes = Omit<z.infer<typeof Journal>, 'format'>;

/** From its last step on, the commit will be finished, by this process or by the next. */
export async function writeJournal(places: Places, changes: Changes): Promise<void> {
  const draft = `${places.journal}.new`;
  await writeFile(draft, JSON.stringify({ format: 1, ...changes }));
  await syncFiles([draft]);
  await rename(draft, places.journal);
  await syncFoldersOf([places.journal], places.root);
}

/** @throws UserError where it is not one that this gymgen can follow */
export async function readJournal(places: Places): Promise<Changes | undefined> {
  const text = await unless(ABSENT, readFile(places.journal, 'utf8'));
  if (text === undefined) return undefined;
  try {
    return Journal.parse(JSON.parse(text));
  } catch (cause) {
    throw new UserError('the journal of an interrupted write is damaged, or a newer gymgen wrote it', {
      where: places.journal,
      fix: `update gymgen, or remove ${places.staging} and write the folder again with --force`,
      cause,
    });
  }
}
