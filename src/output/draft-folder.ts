import { join } from 'node:path';
import type { Edits, FileState, Generated, JsonValue, OutputFile, Plan, PlanEntry } from '../model.js';
import { abortable } from './abortable.js';
import { assertOurs } from './assert-target.js';
import { explained } from './explain.js';
import { hashFile } from './hash-file.js';
import { hashText } from './hash-text.js';
import type { Lock } from './lock-schema.js';
import { lockText } from './lock-text.js';
import { leavesEdits, makePlan } from './make-plan.js';
import { PathGuard } from './path-guard.js';
import { LOCK_FILE, type Places } from './places.js';
import { readLock } from './read-lock.js';
import { stageFile } from './stage-file.js';
import type { Staging } from './staging.js';
import { Inside } from './symlinks.js';
import { together } from './together.js';

export interface DraftParts {
  places: Places;
  files: AsyncIterable<OutputFile>;
  record: () => Record<string, JsonValue>;
  edits: Edits;
  signal: AbortSignal;
  /** Where the files are staged; without it they are only hashed. */
  into?: Staging;
}

export interface Draft {
  plan: Plan;
  generated: Map<string, Generated>;
  /** The lock file's text. */
  lock: string;
}

/** Takes in all that is generated, and compares it with the folder, which it doesn't touch. */
export async function draftFolder({ places, files, record, edits, signal, into }: DraftParts): Promise<Draft> {
  const { folder, root } = places;
  const gymRoot = new Inside(root);
  const inside = (path: string) => explained(join(folder, path), () => gymRoot.assert(join(folder, path)));
  await assertOurs(places);
  const old = await readLock(folder);
  await together(Object.keys(old?.files ?? {}), inside);

  const guard = new PathGuard();
  const generated = new Map<string, Generated>();
  const stage = async (file: OutputFile) => {
    await inside(file.path);
    generated.set(file.path, await stageFile(file, into, signal));
  };
  const texts: Promise<void>[] = []; // while what follows is generated
  try {
    for await (const file of abortable(files, signal)) {
      guard.add(file.path);
      if ('rows' in file) {
        await Promise.all(texts); // what failed is told before the tasks are read
        await stage(file);
        continue;
      }
      const staged = stage(file);
      staged.catch(() => {}); // told where it is awaited
      texts.push(staged);
    }
  } finally {
    await Promise.allSettled(texts);
  }
  await Promise.all(texts);
  const recorded = record();
  // Only now, so that an edit made during a long run is seen too.
  return explained(folder, async () => {
    const entries = await makePlan({ folder, generated, old, edits });
    const left = leftFiles(entries, generated, old, edits);
    const lock = lockText(recorded, { generated, left, theirs: await theirsOf(folder, entries, generated, edits) });
    entries.push({ path: LOCK_FILE, state: await lockState(folder, old, lock) });
    const sorted = entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { plan: { entries: sorted, rows: rowsOf(generated) }, generated, lock };
  });
}

/** The files that are the user's from now on, edited as they are, by their hash. */
async function theirsOf(
  folder: string,
  entries: readonly PlanEntry[],
  generated: ReadonlyMap<string, Generated>,
  edits: Edits,
): Promise<ReadonlyMap<string, string>> {
  const theirs = new Map<string, string>();
  for (const { path, state, note } of entries) {
    const wereAccepted = state === 'same' && note !== undefined;
    if (!wereAccepted && !(state === 'edited' && edits === 'theirs')) continue;
    const hash = await hashFile(join(folder, path), generated.get(path)?.settings);
    if (hash !== undefined) theirs.set(path, hash);
  }
  return theirs;
}

/**
 * Files that are no longer generated and stay because they were edited by hand, with their hash as they were generated. The
 * lock file keeps listing them, so that a later check reports them and --force removes them.
 */
function leftFiles(
  entries: readonly PlanEntry[],
  generated: ReadonlyMap<string, Generated>,
  old: Lock | undefined,
  edits: Edits,
): ReadonlyMap<string, string> {
  const left = new Map<string, string>();
  for (const { path, state } of entries) {
    const hash = generated.has(path) ? undefined : old?.files[path];
    if (hash === undefined) continue;
    if (state === 'same' || (state === 'edited' && leavesEdits(edits))) left.set(path, hash);
  }
  return left;
}

async function lockState(folder: string, old: Lock | undefined, lock: string): Promise<FileState> {
  if (!old) return 'create';
  return (await hashFile(join(folder, LOCK_FILE))) === hashText(lock) ? 'same' : 'update';
}

function rowsOf(generated: ReadonlyMap<string, Generated>): Plan['rows'] {
  return Object.fromEntries([...generated].flatMap(([path, { rows }]) => (rows === undefined ? [] : [[path, rows]])));
}
