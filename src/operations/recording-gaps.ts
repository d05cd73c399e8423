import type { Discovery } from '../discover/index.js';
import { UserError } from '../errors.js';
import { namesOf } from '../gym/index.js';
import { type Lock, lockedRows } from '../output/index.js';
import { gymgenCommand } from '../printed-command.js';

/** A run that reads a recording. */
export interface RecordedRun {
  /** The recording. */
  file: string;
  name: string;
  found: Discovery;
  /** Splits that the user selects; all if empty. */
  selected: readonly string[];
  /** Maximum number of tasks per split. */
  limit: number;
}

/**
 * A recording may have less than its source. What it leaves out is unknown: it must not count as removed.
 * @param lock of the existing folder
 * @throws UserError if the folder has splits or rows that the recording may lack
 */
export function assertRecorded({ file, name, found, selected, limit }: RecordedRun, lock: Lock | undefined): void {
  const gaps = [...missingSplits(name, found, selected, lock), ...missingTasks(name, found, limit, lock)];
  if (gaps.length === 0) return;
  throw new UserError('the recording lacks tasks of this folder', {
    where: file,
    details: gaps,
    fix: `record all of the source: ${gymgenCommand`record <source> ${file}`}; or select the splits to keep with --split`,
  });
}

/** A split that a whole recording lacks was removed from the source. */
function missingSplits(
  name: string,
  { splits, served }: Discovery,
  selected: readonly string[],
  lock: Lock | undefined,
) {
  const rows = namesOf(name).rows;
  const isHere = (split: string) => splits.some((one) => one.name === split);
  const isUnknown = (split: string) => served === undefined || served.otherSplits.includes(split);
  return splitsIn(lock)
    .filter((split) => rows(split) !== rows('example') && !isHere(split) && isUnknown(split))
    .filter(() => selected.length === 0)
    .map((split) => `split '${split}' is not in this recording`);
}

function missingTasks(name: string, { splits, served }: Discovery, limit: number, lock: Lock | undefined): string[] {
  return splits.flatMap(({ name: split, count }) => {
    const all = served?.tasks[split] ?? count;
    const before = lockedRows(lock, namesOf(name).rows(split)) ?? 0;
    const isCut = all > count && limit > count && before > count;
    return isCut
      ? [`split '${split}': ${count} of ${all} tasks are in this recording, and ${before} in the folder`]
      : [];
  });
}

function splitsIn(lock: Lock | undefined): string[] {
  return Object.keys(lock?.files ?? {}).flatMap((file) => /^data\/([^/]+)\.jsonl$/.exec(file)?.[1] ?? []);
}

/** A note for each split of which the recording has only a part, if the run asks for more. */
export function cutSplits({ splits, served }: Discovery, limit: number): string[] {
  return splits.flatMap(({ name, count }) => {
    const all = served?.tasks[name] ?? count;
    return all > count && limit > count ? [`${name}: the recording has ${count} of ${all} tasks`] : [];
  });
}
