import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { derivedFiles } from './derived-files.js';
import { ABSENT, unless } from './errno.js';
import { hashFile } from './hash-file.js';
import { hashText } from './hash-text.js';
import { LOCK_FILE } from './places.js';
import type { Lock } from './read-lock.js';
import { folded } from './safe-path.js';
import type { Generated, Plan, PlanEntry } from './types.js';

export interface PlanParts {
  folder: string;
  generated: ReadonlyMap<string, Generated>;
  /** The lock file as it is, if there is one, and its text as it will be. */
  old: Lock | undefined;
  lock: string;
}

/** Compares what was generated with what is there. Reads, and writes nothing. */
export async function makePlan(parts: PlanParts): Promise<Plan> {
  const entries: PlanEntry[] = [];
  const rows: Record<string, number> = {};
  for (const [path, file] of parts.generated) {
    entries.push({ path, ...(await stateOf(parts, path, file)) });
    if (file.rows !== undefined) rows[path] = file.rows;
  }
  for (const path of Object.keys(parts.old?.files ?? {})) {
    const entry = parts.generated.has(path) ? undefined : await gone(parts, path);
    if (entry) entries.push(entry);
  }
  for (const entry of [...entries]) entries.push(...(await derived(parts, entry)));
  entries.push({ path: LOCK_FILE, state: await lockState(parts) });
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), rows };
}

async function stateOf(parts: PlanParts, path: string, file: Generated): Promise<Omit<PlanEntry, 'path'>> {
  const disk = join(parts.folder, path);
  const stat = await unless(ABSENT, lstat(disk));
  if (!stat) return { state: 'create' };
  if (stat.isSymbolicLink()) {
    const full = await unless([...ABSENT, 'EISDIR'], hashFile(disk));
    return full === file.full ? { state: 'same' } : { state: 'edited', note: 'a symlink now' };
  }
  if (!stat.isFile()) {
    throw new UserError('something that is no file is in the way of one to write', {
      where: disk,
      fix: 'move it away',
    });
  }
  const full = await hashFile(disk);
  if (full === file.full) return { state: 'same' };
  if (parts.old?.files[path] === undefined) return { state: 'edited', note: 'not written by gymgen' };
  return { state: (await isOurs(parts, path, full)) ? 'update' : 'edited' };
}

/** A file that the lock file lists and that is no longer generated. */
async function gone(parts: PlanParts, path: string): Promise<PlanEntry | undefined> {
  const disk = join(parts.folder, path);
  const stat = await unless(ABSENT, lstat(disk));
  if (!stat || stat.isDirectory()) return undefined;
  const renamed = [...parts.generated.keys()].find((other) => folded(other) === folded(path));
  if (renamed !== undefined) {
    // Where case doesn't count, `Train.jsonl` that became `train.jsonl` is the file that is written now.
    const other = await unless(ABSENT, lstat(join(parts.folder, renamed)));
    if (other?.ino === stat.ino) return undefined;
  }
  if (stat.isFile() && (await isOurs(parts, path, await hashFile(disk)))) return { path, state: 'stale' };
  return { path, state: 'edited', note: 'no longer generated' };
}

/** Whether the file on disk, which hashes to `full`, is as gymgen wrote it, settings aside. */
async function isOurs({ folder, old }: PlanParts, path: string, full: string): Promise<boolean> {
  const settings = old?.settingLines?.[path];
  const hash = settings === undefined ? full : await hashFile(join(folder, path), new RegExp(settings));
  return hash === old?.files[path];
}

async function derived(parts: PlanParts, { path, state }: PlanEntry): Promise<PlanEntry[]> {
  const before = parts.old?.files[path];
  const after = parts.generated.get(path)?.hash;
  // Without rows there now, the lock file still tells what they were.
  if (state === 'same' || (state === 'create' && (before === undefined || before === after))) return [];
  const note = `derived by Gym from rows that ${after === undefined ? 'go' : 'change'}`;
  const entries: PlanEntry[] = [];
  for (const other of derivedFiles(path)) {
    if (parts.generated.has(other) || parts.old?.files[other] !== undefined) continue;
    const stat = await unless(ABSENT, lstat(join(parts.folder, other)));
    if (stat?.isFile()) entries.push({ path: other, state: 'stale', note });
  }
  return entries;
}

async function lockState({ folder, old, lock }: PlanParts): Promise<PlanEntry['state']> {
  if (!old) return 'create';
  return (await hashFile(join(folder, LOCK_FILE))) === hashText(lock) ? 'same' : 'update';
}
