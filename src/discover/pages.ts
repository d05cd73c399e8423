import { setImmediate } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { HttpStatusError, NotJsonError, type TaskApi, type TaskDescriptor } from '../openenv/index.js';
import type { Split } from './types.js';

/** Tasks of one split that came in one answer. */
export interface Page {
  split: Split;
  /** Index of its first task. */
  start: number;
  tasks: TaskDescriptor[];
  bytes: number;
}

/** A page takes one round trip, and memory while it is parsed and written. */
const TARGET_BYTES = 2 ** 20;
const FIRST_TASKS = 128;
const MAX_TASKS = 4096;

/**
 * The tasks of some splits from 0 to their counts, in pages of about a megabyte. A page is read while the server makes the next.
 * @throws UserError where the server gives fewer or more than asked for, or one of them breaks its answer
 */
export async function* pages(api: TaskApi, env: string, splits: readonly Split[]): AsyncGenerator<Page> {
  const ask = (split: Split, start: number, length: number) => {
    const stop = Math.min(start + length, split.count);
    const range = api.askTaskRange(env, split.name, start, stop);
    range.catch(() => {}); // told where it is awaited
    return { split, start, stop, range };
  };
  const first = ([split, ...more]: readonly Split[]) => split && { ...ask(split, 0, FIRST_TASKS), more };
  for (let next = first(splits); next; ) {
    const { split, start, stop, range, more } = next;
    let page: Page;
    try {
      const { bytes, read } = await range;
      next = stop < split.count ? { ...ask(split, stop, lengthOf(stop - start, bytes)), more } : first(more);
      await setImmediate(); // it is sent
      page = { split, start, tasks: read(), bytes };
    } catch (error) {
      throw isOfATask(error) ? await ofATask(error as UserError, api, env, split.name, start, stop) : error;
    }
    if (page.tasks.length !== stop - start) {
      throw new UserError(
        `split '${split.name}' has ${split.count} tasks, but the server gives ${page.tasks.length} for ${start} to ${stop}`,
        { fix: 'its num_tasks and get_task_range disagree, or the tasks changed meanwhile: run gymgen again' },
      );
    }
    yield page;
  }
}

/** How many tasks to ask for, where some came in so many bytes. */
function lengthOf(tasks: number, bytes: number): number {
  return Math.round(Math.min(MAX_TASKS, Math.max(1, (TARGET_BYTES * tasks) / Math.max(1, bytes))));
}

/** The same error, with the task that it is about. */
async function ofATask(error: UserError, api: TaskApi, env: string, split: string, start: number, stop: number) {
  const index = await culprit(api, env, split, start, stop);
  return new UserError(`the server can't give task ${split}[${index}]: ${error.message}`, {
    where: error.where ?? split,
    fix: 'the task may hold NaN, or bytes that are not UTF-8: mend it on the server, or leave its split out with --split',
    cause: error,
  });
}

/** Whether one task can be the reason: a value that JSON can't hold makes FastAPI answer 500, or the answer no JSON. */
function isOfATask(error: unknown): boolean {
  return error instanceof NotJsonError || (error instanceof HttpStatusError && error.status === 500);
}

/** The first task of a range that can't be read, by halving the range. */
async function culprit(api: TaskApi, env: string, split: string, start: number, stop: number): Promise<number> {
  let [low, high] = [start, stop];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    try {
      await api.taskRange(env, split, low, middle);
      low = middle;
    } catch (error) {
      if (!isOfATask(error)) throw error;
      high = middle;
    }
  }
  return low;
}
