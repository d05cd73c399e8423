import { createHash, type Hash } from 'node:crypto';
import { createReadStream, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { safeJson } from '../display-text.js';
import { UserError } from '../errors.js';
import { openNoFollow, translateErrors, translateReadErrors } from '../files.js';
import type { JsonValue, PlanEntry } from '../model.js';
import { holdExit, noteWritten } from '../shutdown.js';
import { assertWritable, entriesOf, exists, look, removeAll, syncFoldersOf, writeNewFile } from './fs.js';
import { RECORD_FILE, readRecord, type WholeRecord } from './package-record.js';
import { folded, isSafePath, type Places, stagingAt } from './paths.js';
import { stagedPath, syncStaged } from './stage.js';
import { withStaging } from './with-staging.js';

/** A file of a folder that is written as a whole. `path` is relative to the folder, with `/` between its parts. */
export type WholeFile =
  | { path: string; content: string | Buffer }
  /** A stream of bytes, read once. */
  | { path: string; bytes: AsyncIterable<Buffer> }
  /** The absolute path of a regular file with the content. */
  | { path: string; copy: string };

/** A file as it is written: its size in bytes, and its SHA-256 in hex. */
export interface FileFacts {
  path: string;
  size: number;
  hash: string;
}

export interface WholeContent {
  files: AsyncIterable<WholeFile>;
  /** Called after the last file: the files that depend on the others. */
  last(staged: readonly FileFacts[]): WholeFile[];
  /** Called after that: what the record says besides the files. */
  record(): Record<string, JsonValue>;
  /** Judges the staged folder before it takes its place. Not called in a dry run. */
  check(staged: string): Promise<void>;
}

export interface WholeOptions {
  /** Compare only, and write nothing. */
  isDryRun: boolean;
  /** Replace files that were edited by hand. */
  force: boolean;
  signal: AbortSignal;
}

export interface WholeWritten {
  /** Whether the folder differed from the new files. If not, nothing in it was touched. */
  changed: boolean;
  /** All files, sorted by path, without the record. */
  files: FileFacts[];
  /** What happens to each file, sorted by path, without the record. */
  entries: PlanEntry[];
}

/**
 * Writes a folder as a whole: all files are staged beside it, and the new folder takes its place with a rename. Nothing in an
 * existing folder is kept, so it must be one that this function wrote, without other files.
 * @param folder absolute path; its parents are created
 * @throws UserError if the folder cannot be replaced; the signal's reason if it is aborted before the commit
 */
export async function writeWhole(folder: string, content: WholeContent, options: WholeOptions): Promise<WholeWritten> {
  const places = wholePlaces(folder);
  const before = await existing(places);
  if (options.isDryRun) {
    const { facts, extra } = await stage(places, content, options);
    return { ...compare(facts, before), ...(extra !== before?.extra && { changed: true }) };
  }
  await assertWritable(places.root);
  if (before) await assertWritable(folder);
  return withStaging(places, { check: async () => {}, complete: restore }, async (lock) => {
    const { facts, extra } = await stage(places, content, options);
    const now = await existing(places); // again, so that an edit during a long run is noticed
    const result = compare(facts, now);
    const changed = result.changed || extra !== now?.extra;
    if (!changed) return { ...result, changed };
    assertUnedited(result, places, options);
    await content.check(places.files);
    await writeNewFile(stagedPath(places, RECORD_FILE), [Buffer.from(recordText(extra, facts))]);
    await syncAll(places, [RECORD_FILE, ...facts.map(({ path }) => path)]);
    await lock.assertHeld();
    options.signal.throwIfAborted();
    await exchange(places);
    return { ...result, changed };
  });
}

function wholePlaces(folder: string): Places {
  const root = dirname(folder);
  const gymgen = join(root, `.${basename(folder)}.gymgen`);
  return { root, name: basename(folder), folder, gymgen, ...stagingAt(join(gymgen, 'whole')) };
}

/** Where the old folder is while the new one takes its place. */
const previousOf = ({ staging }: Places) => join(staging, 'previous');

/**
 * Moves the old folder away and the new one in its place. Both steps are synchronous calls in a row, so only a kill within
 * microseconds leaves no folder; the next run then puts the old one back.
 */
async function exchange(places: Places): Promise<void> {
  const { folder, files, root } = places;
  const previous = previousOf(places);
  const isNew = !(await exists(folder));
  const release = holdExit(`the commit of ${basename(folder)} to finish`);
  try {
    await translateErrors(folder, async () => {
      if (!isNew) renameSync(folder, previous);
      try {
        renameSync(files, folder);
        noteWritten(folder);
      } catch (error) {
        if (!isNew) renameSync(previous, folder);
        throw error;
      }
    });
    await syncFoldersOf([folder, files], root);
    await removeAll(previous);
  } finally {
    release();
  }
}

/** A folder that was written as a whole, as it is now. */
export interface WholeFolder {
  record: WholeRecord;
  /** Whether a file is as it was written. */
  isUnedited(path: string): boolean;
}

/**
 * Reads a folder that was written as a whole; undefined if it does not exist or is empty.
 * @param folder absolute path
 * @throws UserError if it is a link or a file, or if it has files that gymgen did not write
 */
export async function readWhole(folder: string): Promise<WholeFolder | undefined> {
  const found = await existing(wholePlaces(folder));
  if (!found) return undefined;
  const { files, record } = found;
  return { record, isUnedited: (path) => record.files[path] === `sha256:${files.get(path)}` };
}

/** Puts back the folder that a killed run had moved away, or removes it if the new one is in its place. */
async function restore(places: Places): Promise<void> {
  const previous = previousOf(places);
  if (!(await exists(previous))) return;
  if (await exists(places.folder)) await removeAll(previous);
  else await translateErrors(places.folder, async () => renameSync(previous, places.folder));
}

/** Stages all files, or only hashes them in a dry run. @returns the facts, sorted by path, and the record's other part */
async function stage(
  places: Places,
  { files, last, record }: WholeContent,
  { isDryRun, signal }: WholeOptions,
): Promise<{ facts: FileFacts[]; extra: string }> {
  const facts: FileFacts[] = [];
  const taken = new Set([folded(RECORD_FILE)]);
  const add = async (file: WholeFile) => {
    signal.throwIfAborted();
    if (!isSafePath(file.path)) throw new Error(`unsafe path of a generated file: ${JSON.stringify(file.path)}`);
    if (taken.has(folded(file.path)))
      throw new UserError('two files have the same name', { where: file.path, fix: 'rename one' });
    taken.add(folded(file.path));
    const seen = { size: 0, hash: createHash('sha256') };
    const chunks = counted(chunksOf(file), seen, signal);
    if (isDryRun) for await (const _ of chunks);
    else await writeNewFile(stagedPath(places, file.path), chunks);
    facts.push({ path: file.path, size: seen.size, hash: seen.hash.digest('hex') });
  };
  for await (const file of files) await add(file);
  for (const file of last([...facts].sort(byPath))) await add(file);
  return { facts: facts.sort(byPath), extra: safeJson(record()) };
}

/** Files that are open at once while they are synced. */
const OPEN_FILES = 256;

async function syncAll(places: Places, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += OPEN_FILES) await syncStaged(places, paths.slice(at, at + OPEN_FILES));
}

async function* chunksOf(file: WholeFile): AsyncGenerator<Buffer> {
  if ('content' in file) yield Buffer.from(file.content);
  else if ('bytes' in file) yield* file.bytes;
  else yield* createReadStream(file.copy, { highWaterMark: 256 * 1024 });
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  seen: { size: number; hash: Hash },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    seen.size += chunk.length;
    seen.hash.update(chunk);
    yield chunk;
  }
}

function recordText(extra: string, facts: readonly FileFacts[]): string {
  const files = Object.fromEntries(facts.map(({ path, hash }) => [path, `sha256:${hash}`]));
  return `${safeJson({ format: 1, ...(JSON.parse(extra) as object), files }, 2)}\n`;
}

interface Existing {
  /** The hash of each file by its path; undefined for something other than a regular file. */
  files: Map<string, string | undefined>;
  record: WholeRecord;
  /** The record's other part as one text. */
  extra: string;
}

/**
 * The folder as it is; undefined if it does not exist or is empty.
 * @throws UserError if it is a link or a file, or if gymgen did not write it
 */
async function existing({ folder }: Places): Promise<Existing | undefined> {
  const found = await look(folder);
  if (!found) return undefined;
  if (found.isSymbolicLink())
    throw new UserError('is a symlink', { where: folder, fix: 'pass the folder that the symlink points to' });
  if (!found.isDirectory()) throw new UserError('is not a folder', { where: folder, fix: 'choose another folder' });
  if ((await entriesOf(folder))?.length === 0) return undefined;
  const record = await readRecord(folder);
  const paths = await filesBelow(folder);
  const others = paths.filter((path) => record.files[path] === undefined);
  if (others.length > 0) {
    throw new UserError('the folder has files that gymgen did not write', {
      where: folder,
      details: listed(others),
      fix: 'move them away, or choose another folder',
    });
  }
  const files: Existing['files'] = new Map();
  for (const path of paths) files.set(path, await hashOf(join(folder, path)));
  const { format: _, files: __, ...extra } = record;
  return { files, record, extra: safeJson(extra) };
}

/** Everything below a folder that is not a folder, without the record, sorted. Links are not followed. */
async function filesBelow(folder: string, below = ''): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of (await entriesOf(join(folder, below))) ?? []) {
    const path = `${below}${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await filesBelow(folder, `${path}/`)));
    else if (path !== RECORD_FILE) paths.push(path);
  }
  return paths.sort();
}

async function hashOf(path: string): Promise<string | undefined> {
  const file = await translateReadErrors(path, openNoFollow(path));
  if (!file) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function compare(files: FileFacts[], before: Existing | undefined): WholeWritten {
  const entries: PlanEntry[] = files.map(({ path, hash }) => {
    if (!before?.files.has(path)) return { path, state: 'create' };
    const now = before.files.get(path);
    if (now === hash) return { path, state: 'same' };
    return { path, state: `sha256:${now}` === before.record.files[path] ? 'update' : 'edited' };
  });
  const paths = new Set(files.map(({ path }) => path));
  for (const [path, now] of before?.files ?? []) {
    if (paths.has(path)) continue;
    entries.push({ path, state: `sha256:${now}` === before?.record.files[path] ? 'stale' : 'edited' });
  }
  return { files, entries: entries.sort(byPath), changed: entries.some(({ state }) => state !== 'same') };
}

function assertUnedited({ entries }: WholeWritten, { folder }: Places, { force }: WholeOptions): void {
  const edited = entries.filter(({ state }) => state === 'edited').map(({ path }) => path);
  if (force || edited.length === 0) return;
  const files = edited.length === 1 ? '1 file was' : `${edited.length} files were`;
  throw new UserError(`${files} edited by hand; nothing was written`, {
    where: folder,
    details: listed(edited),
    fix: 'make the change in the Gym root, or replace these files with --force',
  });
}

/** Upper bound on the files that an error names. */
const LISTED = 10;

function listed(paths: readonly string[]): string[] {
  return paths.length > LISTED ? [...paths.slice(0, LISTED), `and ${paths.length - LISTED} more`] : [...paths];
}

function byPath<T extends { path: string }>(a: T, b: T): number {
  return a.path < b.path ? -1 : 1;
}
