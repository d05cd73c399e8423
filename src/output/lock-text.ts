import { safeJson } from '../display-text.js';
import type { Generated, JsonValue } from '../model.js';
import { LOCK_FORMAT } from './places.js';

/** What a lock file lists, by path. */
export interface LockedFiles {
  generated: ReadonlyMap<string, Generated>;
  /** Hashes of edited files that are no longer generated, as they were generated. */
  left: ReadonlyMap<string, string>;
  /** Hashes of files that were edited by hand and are to stay so, as they are. */
  theirs: ReadonlyMap<string, string>;
}

/** The text of the lock file: the record of what was asked for, then the files, sorted. */
export function lockText(record: Record<string, JsonValue>, { generated, left, theirs }: LockedFiles): string {
  for (const key of ['format', 'files', 'theirs', 'keptPrompts', 'prompts']) {
    if (key in record) throw new Error(`the lock file's own key is in the record: ${key}`);
  }
  const sorted = byPath(generated);
  const hashes = new Map([...left, ...sorted.map(([path, { hash }]) => [path, hash] as const)]);
  const keptPrompts = sorted.flatMap(([path, { kept }]) => (kept && kept.count > 0 ? [path] : []));
  const prompts = sorted.flatMap(([path, file]) => (file.prompts ? [[path, file.prompts]] : []));
  const lock = {
    format: LOCK_FORMAT,
    ...record,
    files: Object.fromEntries(byPath(hashes)),
    ...(theirs.size > 0 && { theirs: Object.fromEntries(byPath(theirs)) }),
    ...(keptPrompts.length > 0 && { keptPrompts }),
    ...(prompts.length > 0 && { prompts: Object.fromEntries(prompts) }),
  };
  return `${safeJson(lock, 2)}\n`;
}

function byPath<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
