import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';
import type { Edits, Generated, PlanEntry } from '../model.js';
import { derivedFiles } from './derived-files.js';
import { hashFile } from './hash-file.js';
import type { Lock } from './lock-schema.js';
import { folded } from './safe-path.js';
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
  const old = new OldFiles(parts);
  for (const path of Object.keys(parts.old?.files ?? {})) {
    const entry = parts.generated.has(path) ? undefined : await old.gone(path);
    if (entry) entries.push(entry);
  }
  for (const entry of [...entries]) entries.push(...(await old.derived(entry)));
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
  const own = file.settings ? await hashFile(disk, file.settings) : full;
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

/** Files on disk that are not generated, and may be removed because the lock file lists them, or the rows beside them. */
class OldFiles {
  /** Generated paths by their folded path. */
  private readonly folded: ReadonlyMap<string, string>;

  constructor(private readonly parts: PlanParts) {
    this.folded = new Map([...parts.generated.keys()].map((path) => [folded(path), path]));
  }

  /** A file that the lock file lists and that is no longer generated. Its whole hash says whether it is unchanged. */
  async gone(path: string): Promise<PlanEntry | undefined> {
    const stat = await this.find(path);
    if (stat?.isSymbolicLink()) return { path, state: 'edited', note: 'a symlink now, and no longer generated' };
    if (!stat?.isFile()) return undefined;
    const renamed = this.folded.get(folded(path));
    if (renamed !== undefined) {
      // If case does not count, `Train.jsonl` that became `train.jsonl` is the file that is written now.
      const other = await unless(ABSENT, lstat(join(this.parts.folder, renamed)));
      if (other?.ino === stat.ino) return undefined;
    }
    const hash = await hashFile(join(this.parts.folder, path));
    const { files = {}, theirs = {} } = this.parts.old ?? {};
    if (hash !== undefined && hash === files[path]) return { path, state: 'stale' };
    if (hash !== undefined && hash === theirs[path]) return { path, state: 'same', note: 'kept as you edited it' };
    return { path, state: 'edited', note: 'no longer generated' };
  }

  /** The files that Gym derived from rows which change or go. */
  async derived({ path, state }: PlanEntry): Promise<PlanEntry[]> {
    const { generated, old, edits } = this.parts;
    const before = old?.files[path];
    const after = generated.get(path)?.hash;
    // Without rows there now, the lock file still tells what they were.
    if (state === 'same' || (state === 'create' && (before === undefined || before === after))) return [];
    if (state === 'edited' && leavesEdits(edits)) return [];
    const note = `derived by Gym from rows that ${after === undefined ? 'go' : 'change'}`;
    const entries: PlanEntry[] = [];
    for (const other of derivedFiles(path)) {
      if (generated.has(other) || old?.files[other] !== undefined) continue;
      if ((await this.find(other))?.isFile()) entries.push({ path: other, state: 'stale', note });
    }
    return entries;
  }

  /** What a path is. None of its folders is a link: `draftFolder` and the commit refuse those for all that is generated or listed. */
  private find(path: string): Promise<Stats | undefined> {
    return unless(ABSENT, lstat(join(this.parts.folder, path)));
  }
}
