import type { JsonText, Split, TaskRef } from '../../model.js';
import { chooseSplits, type TaskSelection } from '../listing.js';

/** The values of a task by key, each as JSON. */
export type TaskValues = ReadonlyMap<string, JsonText>;

/** A line of a tasks file, or an item of its list. */
export interface TaskRecord {
  /** Such as `tasks.jsonl:3`. */
  where: string;
  /** The values, or why the record is invalid. */
  values: TaskValues | string;
}

/** A task that the user provides, for a server that lists none. */
export interface ProvidedTask extends TaskRef {
  /** Keyword arguments of the environment's reset: a JSON object, spelled as provided. */
  reset: JsonText;
  /** If missing, the prompt is built from what the reset shows. */
  prompt?: string;
  systemPrompt?: string;
}

/** Tasks that the user provides. They can be read any number of times, split by split, and are never all in memory. */
export interface ProvidedTasks {
  splits: Split[];
  /** What differs between the tasks, in the plural, for messages. */
  varied: string;
  tasks(split: string): AsyncIterable<ProvidedTask[]>;
}

/** The split of a task that does not name its split. */
export const DEFAULT_SPLIT = 'train';

/** Tasks of the largest split with different arguments: up to `count`, spread evenly, including the first and the last. */
export async function differentTasks(
  provided: ProvidedTasks,
  count: number,
): Promise<[ProvidedTask, ...ProvidedTask[]]> {
  const largest = largestOf(provided.splits);
  const wanted = new Set<number>();
  for (let at = 0; at < count; at += 1) wanted.add(Math.round((at * (largest.count - 1)) / Math.max(1, count - 1)));
  const byReset = new Map<string, ProvidedTask>();
  let left = wanted.size;
  for await (const page of provided.tasks(largest.name)) {
    for (const task of page) {
      if (!wanted.has(task.index)) continue;
      left -= 1;
      if (!byReset.has(task.reset)) byReset.set(task.reset, task);
    }
    if (left === 0) break;
  }
  return [...byReset.values()] as [ProvidedTask, ...ProvidedTask[]];
}

export function largestOf(splits: readonly Split[]): Split {
  return splits.reduce((a, b) => (b.count > a.count ? b : a));
}

/** One task per seed. */
export interface SeedsRequest {
  /** Number of tasks. */
  episodes: number;
  /** The first seed; each task has the next one. */
  seed: number;
  /** The keyword argument of the reset that takes the seed. */
  seedKey: string;
}

const PAGE = 256;

/** Tasks that differ in their seeds. */
export function seedTasks({ episodes, seed, seedKey }: SeedsRequest, { splits, limit }: TaskSelection): ProvidedTasks {
  const [name = DEFAULT_SPLIT] = chooseSplits([DEFAULT_SPLIT], splits);
  const count = Math.min(episodes, limit);
  const task = (index: number): ProvidedTask => ({
    split: name,
    index,
    id: `${name}-${index}`,
    reset: JSON.stringify({ [seedKey]: seed + index }),
  });
  return {
    splits: [{ name, count }],
    varied: `values of '${seedKey}'`,
    async *tasks() {
      for (let start = 0; start < count; start += PAGE) {
        yield Array.from({ length: Math.min(PAGE, count - start) }, (_, offset) => task(start + offset));
      }
    },
  };
}
