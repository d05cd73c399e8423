import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { derivedFiles } from './derived-files.js';
import { ABSENT, unless } from './errno.js';
import { hashFile } from './hash-file.js';
import type { Lock } from './lock-schema.js';
import { folded } from './safe-path.js';
import type { Edits, Generated, PlanEntry } from './types.js';
import { isAbsent } from './writable.js';

export interface PlanParts {
  folder: string;
  generated: ReadonlyMap<string, Generated>;
  /** The lock file as it is, if there is one. */
  old: Lock | undefined;
  edits: Edits;
}

/** Compares what was generated with what is there, all but the lock file. Reads, and writes nothing. */
export async function makePlan(parts: PlanParts): Promise<PlanEntry[]> {
  if (await isAbsent(parts.folder)) {
    return [...parts.generated.keys()].map((path) => ({ path, state: 'create' }));
  }
  const entries: PlanEntry[] = [];
  for (const [path, file] of parts.generated) entries.push({ path, ...(await stateOf(parts, path, file)) });
  for (const path of Object.keys(parts.old?.files ?? {})) {
    const entry = parts.generated.has(path) ? undefined : await gone(parts, path);
    if (entry) entries.push(entry);
  }
  for (const entry of [...entries]) entries.push(...(await derived(parts, entry)));
  return entries;
}

/** Whether files that were edited by hand stay as they are. */
export function leavesEdits(edits: Edits): boolean {
  return edits === 'keep' || edits === 'theirs';
}

async function stateOf(parts: PlanParts, path: string, file: Generated): Promise<Omit<PlanEntry, 'path'>> {
  const disk = join(parts.folder, path);
  const stat = await unless(ABSENT, lstat(disk));
  if (!stat) return { state: 'create' };
  if (stat.isSymbolicLink()) return { state: 'edited', note: 'a symlink now' };
  if (!stat.isFile()) {
    throw new UserError('something that is no file is in the way of one to write', {
      where: disk,
      fix: 'move it away',
    });
  }
  if (file.same) return { state: 'same' };
  const full = await hashFile(disk);
  if (full === file.full) return { state: 'same' };
  if (file.kept?.only) return { state: 'update' };
  const own = await ownHash(parts, path, full);
  if (own === parts.old?.files[path]) return { state: 'update' };
  if (parts.old?.files[path] === undefined) return { state: 'edited', note: 'not written by gymgen' };
  return accepted(parts, path, file, own) ?? { state: 'edited' };
}

/** A file edited by hand which the lock file says to keep so, as long as what it was edited from is the same. */
function accepted(
  { old }: PlanParts,
  path: string,
  file: Generated,
  hash: string | undefined,
): Omit<PlanEntry, 'path'> | undefined {
  if (hash === undefined || old?.theirs?.[path] !== hash) return undefined;
  if (old.files[path] === file.hash) return { state: 'same', note: 'kept as you edited it' };
  return { state: 'edited', note: "kept as you edited it, but gymgen's has changed since" };
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
  const ours = stat.isFile() && (await ownHash(parts, path, await hashFile(disk))) === parts.old?.files[path];
  return ours ? { path, state: 'stale' } : { path, state: 'edited', note: 'no longer generated' };
}

/** The hash of the file on disk as the lock file counts it, without settings; its whole text hashes to `full`. */
async function ownHash({ folder, old }: PlanParts, path: string, full?: string): Promise<string | undefined> {
  const settings = old?.settingLines?.[path];
  return settings === undefined ? full : hashFile(join(folder, path), new RegExp(settings));
}

async function derived(parts: PlanParts, { path, state }: PlanEntry): Promise<PlanEntry[]> {
  const before = parts.old?.files[path];
  const after = parts.generated.get(path)?.hash;
  // Without rows there now, the lock file still tells what they were.
  if (state === 'same' || (state === 'create' && (before === undefined || before === after))) return [];
  if (state === 'edited' && leavesEdits(parts.edits)) return [];
  const note = `derived by Gym from rows that ${after === undefined ? 'go' : 'change'}`;
  const entries: PlanEntry[] = [];
  for (const other of derivedFiles(path)) {
    if (parts.generated.has(other) || parts.old?.files[other] !== undefined) continue;
    const stat = await unless(ABSENT, lstat(join(parts.folder, other)));
    if (stat?.isFile()) entries.push({ path: other, state: 'stale', note });
  }
  return entries;
}
