import type { Discovery } from '../../discover/index.js';
import { formatCount } from '../../display-text.js';
import { namesOf } from '../../gym/index.js';
import { type Lock, lockedRows } from '../../output/index.js';
import { type Finding, quote, warning } from '../../rules/index.js';

/** `row-count`: the row count of a split changes by more than half. */
export function rowCountChanges({ splits }: Pick<Discovery, 'splits'>, name: string, lock: Lock): Finding[] {
  const { rows } = namesOf(name);
  const counts = new Map(splits.map((split) => [rows(split.name), split.count]));
  return Object.keys(lock.prompts ?? {}).flatMap((file) => {
    const before = lockedRows(lock, file) ?? 0;
    const now = counts.get(file) ?? 0;
    if (Math.abs(now - before) <= before / 2) return [];
    const problem = `has ${now === 0 ? 'no' : formatCount(now)} rows instead of ${formatCount(before)}`;
    return [warning('row-count', quote(file), problem, 'check whether the source, --split or --limit changed')];
  });
}
