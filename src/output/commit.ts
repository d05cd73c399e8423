import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { LIMITS } from '../limits.js';
import { holdExit, noteWritten } from '../shutdown.js';
import { knownKey, userKey } from '../state/user-state.js';
import {
  assertWritable,
  createFolders,
  exists,
  look,
  mapConcurrent,
  moveFile,
  moveFolder,
  readFileAt,
  removeEmptyFolder,
  removeFile,
  syncFiles,
  syncFoldersOf,
  writeNewFile,
} from './fs.js';
import { LinkGuard } from './link-guard.js';
import { discardStagingFix, isSafePath, LOCK_FILE, type Places } from './paths.js';
import type { RunLock } from './run-lock.js';
import { stagedPath, syncStaged } from './stage.js';

/** The changes that a commit makes: paths to write, in order, and paths to delete. */
export interface Changes {
  writes: string[];
  deletes: string[];
}

export interface CommitParts {
  places: Places;
  changes: Changes;
  /** The hash of a staged file, by its path in the folder. */
  hashOf: (path: string) => string;
  lock: RunLock;
  signal: AbortSignal;
}

/**
 * Puts the staged files in place. A new folder is moved there in one step, which needs no journal. An existing folder
 * may contain files of the user, so each file is moved. Before that, a journal is written, so that a later process can
 * complete the commit.
 * @throws UserError if the commit is known to be impossible; the signal's reason if it is aborted before the first change
 */
export async function commit({ places, changes, hashOf, lock, signal }: CommitParts): Promise<void> {
  const { folder } = places;
  const targets = [...changes.writes, ...changes.deletes].map((path) => join(folder, path));
  const isNew = !(await exists(folder));
  await assertPossible(places, targets);
  await syncStaged(places, changes.writes);
  await lock.assertHeld();
  signal.throwIfAborted();
  const release = holdExit(`the commit of ${basename(folder)} to finish`);
  try {
    if (isNew) {
      if (await putFolder(places)) return noteWritten(folder);
      await assertPossible(places, targets); // another program may have created the folder meanwhile
    }
    const writes = changes.writes.map((path) => ({ path, hash: hashOf(path) }));
    const journal = { writes, deletes: changes.deletes };
    const isSigned = await writeJournal(places, journal);
    await applyJournal(places, journal, isSigned);
  } finally {
    release();
  }
}

/** @throws UserError if a target cannot be written, is below a symlink, or is on another file system than the staged files */
async function assertPossible(places: Places, targets: readonly string[]): Promise<void> {
  const { device } = await assertWritable(places.files);
  const links = new LinkGuard(places.root);
  await mapConcurrent(targets, (target) => links.assert(target));
  for (const folder of new Set(targets.map(dirname))) {
    const parent = await assertWritable(folder);
    if (parent.device === device) continue;
    throw new UserError('folder is on another file system than the Gym root', {
      where: parent.path,
      fix: `put all of ${places.root} on one file system`,
    });
  }
}

/**
 * Moves the staged folder to its place.
 * @returns false if that is not possible, and nothing was changed: a folder has been created meanwhile, the moved
 * folder would have another group than a created one, or the file system does not move folders
 */
async function putFolder({ root, files, folder }: Places): Promise<boolean> {
  const servers = dirname(folder);
  await createFolders(servers);
  const [staged, parent] = [await look(files), await look(servers)];
  if (!staged || !parent || inheritedGroup(staged) !== inheritedGroup(parent)) return false;
  if (!(await moveFolder(files, folder))) return false;
  await syncFoldersOf([folder, files], root);
  return true;
}

const SETGID = 0o2000;

/** The group that new entries inherit from a folder; undefined if they inherit none. */
function inheritedGroup({ mode, gid }: Stats): number | undefined {
  return (mode & SETGID) === 0 ? undefined : gid;
}

const Path = z.string().refine(isSafePath);
const Journal = z.object({
  format: z.literal(2),
  /** In order, each with the hash of its staged file. */
  writes: z.array(z.object({ path: Path, hash: z.string() })),
  deletes: z.array(Path),
});

/** The changes of a commit, with the hashes that a later process checks before it makes them. */
export type Journal = Omit<z.infer<typeof Journal>, 'format'>;

/**
 * Makes the changes of a journal. Each step can be repeated, so an earlier attempt may have stopped anywhere.
 * @param isSigned whether a later process can complete the commit
 */
export async function applyJournal(places: Places, { writes, deletes }: Journal, isSigned: boolean): Promise<void> {
  const { folder, root } = places;
  const paths = writes.map(({ path }) => path);
  const targets = [...paths, ...deletes].map((path) => join(folder, path));
  const links = new LinkGuard(root);
  await mapConcurrent([...paths.map((path) => stagedPath(places, path)), ...targets], (path) => links.assert(path));

  // The lock file is last, so that it never lists a file that does not exist yet.
  const isLock = (path: string) => path === LOCK_FILE;
  try {
    for (const path of paths.filter((each) => !isLock(each))) await putFile(places, path);
    for (const path of deletes) await deleteFile(places, path);
    for (const path of paths.filter(isLock)) await putFile(places, path);
    await syncFoldersOf(targets, root);
    await removeFile(places.journal);
    noteWritten(folder);
  } catch (error) {
    throw error instanceof UserError ? partlyWritten(error, places, isSigned) : error;
  }
}

/** Moves a staged file to its place, unless an earlier attempt has done so. */
async function putFile(places: Places, path: string): Promise<void> {
  await moveFile(stagedPath(places, path), join(places.folder, path));
}

async function deleteFile({ folder }: Places, path: string): Promise<void> {
  await removeFile(join(folder, path));
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    await removeEmptyFolder(join(folder, parent));
  }
}

function partlyWritten(error: UserError, { folder, staging }: Places, isSigned: boolean): UserError {
  const again = isSigned ? 'run again' : `remove ${staging}, and write the folder again with --force`;
  const rest = 'the next gymgen command that writes to this Gym root completes it';
  return new UserError(error.message, {
    where: error.where ?? folder,
    details: [`the folder is partly written${isSigned ? `: ${rest}` : ''}`],
    fix: error.fix === undefined ? again : `${error.fix}, and ${again}`,
    cause: error,
  });
}

/*
 * A journal decides which files are moved and deleted, and it may have come with a repository. So it has a MAC with a key that
 * only this user on this machine has, over its exact bytes, the path of the Gym root and the name. Nothing is parsed before the
 * MAC is verified. The file is JSON: {"mac":"<64 hex digits>","commit":{…}}.
 */
const HEAD = '{"mac":"';
const MIDDLE = '","commit":';
const TAIL = '}';

/**
 * Writes the journal. From then on, the commit will be completed, by this process or by a later one.
 * @returns false if only this process can complete it, since the user's state folder cannot be used
 */
async function writeJournal(places: Places, journal: Journal): Promise<boolean> {
  const { root, journalDraft } = places;
  const body = Buffer.from(JSON.stringify({ format: 2, ...journal }));
  const key = await userKey();
  const mac = key ? (await macOf(places, body, key)).toString('hex') : '';
  await writeNewFile(journalDraft, [Buffer.concat([Buffer.from(HEAD + mac + MIDDLE), body, Buffer.from(TAIL)])]);
  await syncFiles([journalDraft]);
  await moveFile(journalDraft, places.journal);
  await syncFoldersOf([places.journal], root);
  return key !== undefined;
}

/**
 * The journal of a commit that an earlier process started.
 * @returns undefined if there is none
 * @throws UserError unless this user started the commit on this machine, for this root and name
 */
export async function readJournal(places: Places): Promise<Journal | undefined> {
  const text = await readFileAt(places.journal, LIMITS.journalBytes);
  if (text === undefined) return undefined;
  const body = typeof text === 'string' ? undefined : await verified(places, text);
  const fix = discardStagingFix(places);
  if (!body) {
    throw new UserError('cannot verify who started the interrupted write', { where: places.journal, fix });
  }
  const journal = Journal.safeParse(JSON.parse(body.toString()));
  if (journal.success) return journal.data;
  throw new UserError('interrupted write was started by a newer gymgen', {
    where: places.journal,
    fix: `update gymgen; or ${fix}`,
  });
}

/** The text of a journal without its MAC, if the MAC is valid. */
async function verified(places: Places, text: Buffer): Promise<Buffer | undefined> {
  const key = await knownKey();
  const start = HEAD.length + 64 + MIDDLE.length;
  const body = text.subarray(start, -TAIL.length);
  const mac = Buffer.from(text.toString('latin1', HEAD.length, HEAD.length + 64), 'hex');
  if (!key || mac.length !== 32) return undefined;
  return timingSafeEqual(mac, await macOf(places, body, key)) ? body : undefined;
}

async function macOf({ root, name }: Places, body: Buffer, key: Buffer): Promise<Buffer> {
  const subject = JSON.stringify(['gymgen journal', await realpath(root), name]);
  return createHmac('sha256', key).update(`${subject}\n`).update(body).digest();
}
