import type { Edits, Generated, Plan } from '../model.js';
import type { Changes } from './journal.js';
import { leavesEdits } from './make-plan.js';
import { LOCK_FILE } from './places.js';

/** What has to be done to the folder to make it what was generated. */
export function changesOf(plan: Plan, generated: ReadonlyMap<string, Generated>, edits: Edits): Changes {
  const paths = plan.entries
    .filter(({ state }) => state !== 'same' && !(state === 'edited' && leavesEdits(edits)))
    .map(({ path }) => path);
  const isWritten = (path: string) => path === LOCK_FILE || generated.has(path);
  return { writes: paths.filter(isWritten), deletes: paths.filter((path) => !isWritten(path)) };
}
