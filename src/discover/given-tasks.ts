import type { JsonText, Split, TaskRef } from '../model.js';

/** A task that the user gives where the server lists none. */
export interface GivenTask extends TaskRef {
  /** Keyword arguments of the environment's reset: a JSON object as it was spelt. */
  reset: JsonText;
  /** Where there is none, it is made of what the reset shows. */
  prompt?: string;
  systemPrompt?: string;
}

/** Tasks that the user gives. They can be read any number of times, split by split, and are never all in memory. */
export interface GivenTasks {
  splits: Split[];
  /** What they differ in, in the plural, for messages. */
  varied: string;
  tasks(split: string): AsyncIterable<GivenTask[]>;
}

/** Which tasks are read. */
export interface GivenOptions {
  /** Names of the splits to read; all where it is empty. */
  splits: readonly string[];
  /** Tasks of a split, at most. */
  limit: number;
}

/** The split of a task that names none. */
export const DEFAULT_SPLIT = 'train';

/** Of a split's tasks, `count` that are spread over all of it, the first and the last among them. */
export async function spread(given: GivenTasks, split: Split, count: number): Promise<GivenTask[]> {
  const wanted = new Set<number>();
  for (let at = 0; at < count; at += 1) wanted.add(Math.round((at * (split.count - 1)) / Math.max(1, count - 1)));
  const found: GivenTask[] = [];
  for await (const page of given.tasks(split.name)) {
    found.push(...page.filter(({ index }) => wanted.has(index)));
    if (found.length === wanted.size) break;
  }
  return found;
}
