import { join } from 'node:path';
import { abortable } from './abortable.js';
import { assertOurs } from './assert-target.js';
import { explained } from './explain.js';
import { lockText } from './lock-text.js';
import { makePlan } from './make-plan.js';
import { PathGuard } from './path-guard.js';
import type { Places } from './places.js';
import { readLock } from './read-lock.js';
import { stageFile } from './stage-file.js';
import { assertInside } from './symlinks.js';
import type { Generated, JsonValue, OutputFile, Plan } from './types.js';

export interface DraftParts {
  places: Places;
  files: AsyncIterable<OutputFile>;
  record: () => Record<string, JsonValue>;
  signal: AbortSignal;
  /** Where the files are staged; without it they are only hashed. */
  into?: string;
}

export interface Draft {
  plan: Plan;
  generated: Map<string, Generated>;
  /** The lock file's text. */
  lock: string;
}

/** Takes in all that is generated, and compares it with the folder, which it doesn't touch. */
export async function draftFolder({ places, files, record, signal, into }: DraftParts): Promise<Draft> {
  const { folder, root } = places;
  const inside = (path: string) => explained(join(folder, path), () => assertInside(root, join(folder, path)));
  await assertOurs(places);
  const old = await readLock(folder);
  for (const path of Object.keys(old?.files ?? {})) await inside(path);

  const guard = new PathGuard();
  const generated = new Map<string, Generated>();
  for await (const file of abortable(files, signal)) {
    guard.add(file.path);
    await inside(file.path);
    generated.set(file.path, await stageFile(file, into === undefined ? undefined : join(into, file.path), signal));
  }
  const lock = lockText(record(), generated);
  // Only now, so that an edit made during a long run is seen too.
  const plan = await explained(folder, () => makePlan({ folder, generated, old, lock }));
  return { plan, generated, lock };
}
