import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.js';
import { LIMITS } from '../limits.js';
import type { Edits, FileState, Generated, JsonValue, Plan, PlanEntry, UserSettings } from '../model.js';
import { gymgenCommand } from '../printed-command.js';
import type { Changes } from './commit.js';
import { exists, look, readFileAt } from './fs.js';
import { hashFile, hashText } from './hash.js';
import { type Lock, lockText } from './lock-file.js';
import { folded, LOCK_FILE } from './paths.js';

export interface PlanParts {
  folder: string;
  generated: ReadonlyMap<string, Generated>;
  /** The existing lock file. */
  old: Lock | undefined;
  edits: Edits;
}

/**
 * Compares the generated files with the existing ones. Writes nothing.
 * @param record what the lock file says about the run
 */
export async function makePlan(
  parts: PlanParts,
  record: Record<string, JsonValue>,
): Promise<{ plan: Plan; lock: string }> {
  const { folder, generated, old } = parts;
  const generator = generatorChange(old, record);
  const entries = (await compareFiles(parts)).map((entry) => (generator ? withCause(entry, parts) : entry));
  const kept = { left: leftFiles(parts, entries), theirs: await acceptedFiles(parts, entries) };
  const lock = lockText(record, { generated, ...kept });
  const state = await lockState(folder, old, lock);
  entries.push({ path: LOCK_FILE, state, ...(generator && { isGymgenChange: true }) });
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const rows = [...generated].flatMap(([path, file]) => (file.rows === undefined ? [] : [[path, file.rows] as const]));
  return { plan: { entries, rows: Object.fromEntries(rows), ...(generator && { generator }) }, lock };
}

function generatorChange(old: Lock | undefined, { generator: now }: Record<string, JsonValue>) {
  const before = old?.generator ?? 0;
  return old && typeof now === 'number' && before < now ? { before, now } : undefined;
}

/** Folders that have only files of gymgen. */
const OURS = /^(?:openenv_bridge|bundle_child)\//;

/** Marks a file that differs only because gymgen changed: new, updated or removed, but neither edited nor deleted by hand. */
function withCause(entry: PlanEntry, { generated, old }: PlanParts): PlanEntry {
  const { path, state } = entry;
  const before = old?.files[path];
  const { isTemplate = false, settings } = generated.get(path) ?? { isTemplate: OURS.test(path) };
  const isFormer = settings?.former?.some((former) => before === hashText(former)) ?? false;
  const isDeleted = state === 'create' && before !== undefined;
  const isOurs = (isTemplate || isFormer) && !isDeleted && ['create', 'update', 'stale'].includes(state);
  return isOurs ? { ...entry, isGymgenChange: true } : entry;
}

/** The changes that turn the existing folder into the generated one. */
export function changesOf(plan: Plan, generated: ReadonlyMap<string, Generated>, edits: Edits): Changes {
  const paths = plan.entries
    .filter(({ state }) => state !== 'same' && !(state === 'edited' && leavesEdits(edits)))
    .map(({ path }) => path);
  const isWritten = (path: string) => path === LOCK_FILE || generated.has(path);
  return { writes: paths.filter(isWritten), deletes: paths.filter((path) => !isWritten(path)) };
}

/** @throws UserError that names every edited file */
export function assertUnedited(plan: Plan, folder: string): void {
  const edited = plan.entries.filter((entry) => entry.state === 'edited');
  if (edited.length === 0) return;
  const files = edited.length === 1 ? '1 file was' : `${edited.length} files were`;
  throw new UserError(`${files} edited by hand; nothing was written`, {
    code: 'edited',
    where: folder,
    details: edited.map(({ path, note }) => (note === undefined ? path : `${path} (${note})`)),
    fix: `undo the edits, keep them with ${gymgenCommand`update <gym-root>`}, or replace these files with --force`,
  });
}

/** Every file except the lock file. */
async function compareFiles(parts: PlanParts): Promise<PlanEntry[]> {
  if (!(await exists(parts.folder))) return [...parts.generated.keys()].map((path) => ({ path, state: 'create' }));
  const entries: PlanEntry[] = [];
  for (const [path, file] of parts.generated) entries.push({ path, ...(await stateOf(parts, path, file)) });
  const folds = new Map([...parts.generated.keys()].map((path) => [folded(path), path]));
  for (const path of Object.keys(parts.old?.files ?? {})) {
    const entry = parts.generated.has(path) ? undefined : await listedFile(parts, path, folds);
    if (entry) entries.push(entry);
  }
  for (const entry of [...entries]) entries.push(...(await derivedFiles(parts, entry)));
  return entries;
}

/** What exists at a path. `draftFolder` and the commit have checked that its folders are not symlinks. */
function find({ folder }: PlanParts, path: string): Promise<Stats | undefined> {
  return look(join(folder, path));
}

type State = Omit<PlanEntry, 'path'>;

async function stateOf(parts: PlanParts, path: string, file: Generated): Promise<State> {
  const disk = join(parts.folder, path);
  const found = await find(parts, path);
  if (!found) return { state: 'create' };
  if (found.isSymbolicLink()) return { state: 'edited', note: 'replaced by a symlink' };
  if (!found.isFile()) {
    throw new UserError('a file to write is blocked by a non-file', { where: disk, fix: 'move it away' });
  }
  if (file.same) return same(file);
  const full = await hashFile(disk);
  if (full === file.full) return same(file);
  if (file.settings && (await hasSameValues(disk, file.settings))) return { state: 'same' };
  if (file.kept?.only) return { state: 'update' };
  const own = file.settings ? await hashFile(disk, file.settings) : full;
  const before = parts.old?.files[path];
  if (before === undefined) return { state: 'edited', note: 'not written by gymgen' };
  if (own === before) return { state: 'update' };
  if (own === undefined || parts.old?.theirs?.[path] !== own) return { state: 'edited' };
  if (before === file.hash) return { state: 'same', note: KEPT };
  return { state: 'edited', note: `${KEPT}, but gymgen's version has changed since` };
}

/** A file that is too large for a config is compared as a whole. */
async function hasSameValues(path: string, settings: UserSettings): Promise<boolean> {
  const bytes = await readFileAt(path, LIMITS.configBytes);
  return Buffer.isBuffer(bytes) && (await settings.isSame(bytes.toString()));
}

function same({ kept }: Generated): State {
  if (!kept || kept.count === 0) return { state: 'same' };
  return { state: 'same', note: `${kept.count} edited ${kept.count === 1 ? 'prompt' : 'prompts'} kept` };
}

/** The note of an edited file that the lock file lists in `theirs`. */
const KEPT = 'kept as you edited it';

/** A file that the lock file lists and that is no longer generated. It counts as unchanged if its full hash matches. */
async function listedFile(
  parts: PlanParts,
  path: string,
  folds: ReadonlyMap<string, string>,
): Promise<PlanEntry | undefined> {
  const found = await find(parts, path);
  if (found?.isSymbolicLink()) return { path, state: 'edited', note: 'replaced by a symlink, and no longer generated' };
  if (!found?.isFile()) return undefined;
  const renamed = folds.get(folded(path));
  // If the file system ignores case, `Train.jsonl` that became `train.jsonl` is the file that is written now.
  if (renamed !== undefined && (await find(parts, renamed))?.ino === found.ino) return undefined;
  const hash = await hashFile(join(parts.folder, path));
  const { files = {}, theirs = {} } = parts.old ?? {};
  if (hash !== undefined && hash === files[path]) return { path, state: 'stale' };
  if (hash !== undefined && hash === theirs[path]) return { path, state: 'same', note: KEPT };
  return { path, state: 'edited', note: 'no longer generated' };
}

/** Files that `gym dataset collate` (0.7) derives from rows. Beside rows that have changed, they are an error. */
async function derivedFiles(parts: PlanParts, { path, state }: PlanEntry): Promise<PlanEntry[]> {
  const { generated, old, edits } = parts;
  const stem = /^(data\/[^/]+)\.jsonl$/.exec(path)?.[1];
  if (stem === undefined || state === 'same' || (state === 'edited' && leavesEdits(edits))) return [];
  const before = old?.files[path];
  const after = generated.get(path)?.hash;
  // If the rows were deleted by hand, the lock file says whether the new ones differ.
  if (state === 'create' && (before === undefined || before === after)) return [];
  const note = `derived by Gym from rows that ${after === undefined ? 'are removed' : 'change'}`;
  const entries: PlanEntry[] = [];
  for (const other of [`${stem}_metrics.json`, `${stem}_prepare.jsonl`]) {
    if (generated.has(other) || old?.files[other] !== undefined) continue;
    if ((await find(parts, other))?.isFile()) entries.push({ path: other, state: 'stale', note });
  }
  return entries;
}

/** Whether edited files stay as they are. */
function leavesEdits(edits: Edits): boolean {
  return edits === 'keep' || edits === 'theirs';
}

/**
 * Edited files that are no longer generated and stay, with their hash as they were generated. The lock file keeps listing them,
 * so that a later check reports them and --force removes them.
 */
function leftFiles({ generated, old, edits }: PlanParts, entries: readonly PlanEntry[]): Map<string, string> {
  const left = new Map<string, string>();
  for (const { path, state } of entries) {
    const hash = generated.has(path) ? undefined : old?.files[path];
    if (hash === undefined) continue;
    if (state === 'same' || (state === 'edited' && leavesEdits(edits))) left.set(path, hash);
  }
  return left;
}

/** Edited files that are accepted from now on, or were before, with their hash as they are. */
async function acceptedFiles(
  { folder, generated, edits }: PlanParts,
  entries: readonly PlanEntry[],
): Promise<Map<string, string>> {
  const accepted = new Map<string, string>();
  for (const { path, state, note } of entries) {
    const wasAccepted = state === 'same' && note === KEPT;
    if (!wasAccepted && !(state === 'edited' && edits === 'theirs')) continue;
    const hash = await hashFile(join(folder, path), generated.get(path)?.settings);
    if (hash !== undefined) accepted.set(path, hash);
  }
  return accepted;
}

async function lockState(folder: string, old: Lock | undefined, lock: string): Promise<FileState> {
  if (!old) return 'create';
  return (await hashFile(join(folder, LOCK_FILE))) === hashText(lock) ? 'same' : 'update';
}
