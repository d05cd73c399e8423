import { join } from 'node:path';
import { UserError } from '../errors.js';
import type { Edits, Generated, JsonValue, OutputFile, Plan, Target, Written } from '../model.js';
import { commit, readJournal } from './commit.js';
import { assertWritable, entriesOf, mapConcurrent, nearestFolder, writeNewFile } from './fs.js';
import { hashText } from './hash.js';
import { LinkGuard } from './link-guard.js';
import { readLock } from './lock-file.js';
import { assertStaging, LEFTOVER, LOCK_FILE, type Places, placesOf } from './paths.js';
import { assertUnedited, changesOf, makePlan } from './plan.js';
import { assertNoCommit, finishCommit } from './recovery.js';
import { stagedPath, stageFiles } from './stage.js';
import { withStaging } from './with-staging.js';

export interface WriteOptions {
  /** What to do with files that were edited by hand (default: stop). */
  edits?: Edits;
  /** Plan only: write nothing, and accept edited files. */
  dryRun?: boolean;
  signal: AbortSignal;
}

/**
 * Makes a folder of the Gym root equal to the generated files, atomically.
 * @param record called after the last file: what the lock file says about the run
 * @throws UserError if the target cannot be written, or contains files that the user created or edited
 * @throws the signal's reason once it is aborted: before the commit nothing is changed, after it the commit is complete
 */
export async function writeFolder(
  target: Target,
  files: AsyncIterable<OutputFile>,
  record: () => Record<string, JsonValue>,
  options: WriteOptions,
): Promise<Written> {
  const { edits = 'refuse', dryRun = false, signal } = options;
  if (dryRun) {
    const { lock: _, ...planned } = await planFolder(target, files, record, { edits, signal });
    return planned;
  }
  const places = placesOf(target.gymRoot, target.name);
  const { folder } = places;
  signal.throwIfAborted();
  await assertTarget(places, false);

  const recovery = { check: readJournal, complete: finishCommit };
  const written = await withStaging(places, recovery, async (runLock) => {
    const { plan, generated, lock } = await draftFolder({ places, files, record, edits, isDryRun: false, signal });
    if (edits === 'refuse') assertUnedited(plan, folder);
    const changes = changesOf(plan, generated, edits);
    const changed = changes.writes.length + changes.deletes.length > 0;
    if (changed) {
      const lockBytes = Buffer.from(lock);
      await writeNewFile(stagedPath(places, LOCK_FILE), [lockBytes]);
      const hashOf = (path: string) => generated.get(path)?.full ?? hashText(lockBytes);
      await commit({ places, changes, hashOf, lock: runLock, signal });
    }
    return { plan, changed, folder };
  });
  signal.throwIfAborted();
  return written;
}

export interface Planned extends Written {
  /** The text that the lock file would have. */
  lock: string;
}

/**
 * What a write would do to a folder of the Gym root. Writes nothing, and accepts edited files.
 * @throws UserError if the target could not be written, is not gymgen's, or has an interrupted write
 */
export async function planFolder(
  target: Target,
  files: AsyncIterable<OutputFile>,
  record: () => Record<string, JsonValue>,
  { edits, signal }: { edits: Edits; signal: AbortSignal },
): Promise<Planned> {
  const places = placesOf(target.gymRoot, target.name);
  signal.throwIfAborted();
  await assertTarget(places, true);
  await assertNoCommit(places);
  const { plan, lock } = await draftFolder({ places, files, record, edits, isDryRun: true, signal });
  signal.throwIfAborted();
  return { plan, lock, changed: plan.entries.some((entry) => entry.state !== 'same'), folder: places.folder };
}

interface DraftParts {
  places: Places;
  files: AsyncIterable<OutputFile>;
  record: () => Record<string, JsonValue>;
  edits: Edits;
  /** Hash the files, and stage none. */
  isDryRun: boolean;
  signal: AbortSignal;
}

interface Draft {
  plan: Plan;
  generated: Map<string, Generated>;
  /** The text of the lock file. */
  lock: string;
}

/** Stages all generated files, and compares them with the existing folder, which is not touched. */
async function draftFolder({ places, files, record, edits, isDryRun, signal }: DraftParts): Promise<Draft> {
  const { folder, root } = places;
  await assertOurs(places);
  const old = await readLock(folder);
  const links = new LinkGuard(root);
  await mapConcurrent(Object.keys(old?.files ?? {}), (path) => links.assert(join(folder, path)));
  const generated = await stageFiles(places, files, { isDryRun, signal });
  // The plan is made last, so that an edit during a long run is noticed.
  return { generated, ...(await makePlan({ folder, generated, old, edits }, record())) };
}

/** @throws UserError if the folder or its staging folder cannot be written, or is below a symlink of the Gym root */
async function assertTarget(places: Places, dryRun: boolean): Promise<void> {
  await new LinkGuard(places.root).assertFolder(places.folder);
  await assertStaging(places);
  for (const path of [places.folder, places.staging]) await (dryRun ? nearestFolder(path) : assertWritable(path));
}

/** @throws UserError if the folder has files but gymgen did not write it */
async function assertOurs({ folder }: Places): Promise<void> {
  const names = ((await entriesOf(folder)) ?? []).map(({ name }) => name);
  if (names.includes(LOCK_FILE) || names.every((name) => LEFTOVER.test(name))) return;
  throw new UserError(`folder was not written by gymgen (no ${LOCK_FILE})`, {
    where: folder,
    fix: 'choose another name with --name, or move that folder away',
  });
}
