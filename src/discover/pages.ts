import { UserError } from '../errors.js';
import { HttpStatusError, NotJsonError, type TaskApi, type TaskDescriptor } from '../openenv/index.js';

/** Tasks of one split that came in one answer. */
export interface Page {
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
 * A split's tasks from 0 to `count`, in pages of about a megabyte.
 * @throws UserError where the server gives fewer or more than asked for, or one of them breaks its answer
 */
export async function* pages(api: TaskApi, env: string, split: string, count: number): AsyncGenerator<Page> {
  let length = FIRST_TASKS;
  for (let start = 0; start < count; ) {
    const stop = Math.min(start + length, count);
    const { tasks, bytes } = await readPage(api, env, split, start, stop);
    if (tasks.length !== stop - start) {
      throw new UserError(
        `split '${split}' has ${count} tasks, but the server gives ${tasks.length} for ${start} to ${stop}`,
        { fix: 'its num_tasks and get_task_range disagree, or the tasks changed meanwhile: run gymgen again' },
      );
    }
    yield { start, tasks, bytes };
    start = stop;
    length = Math.round(Math.min(MAX_TASKS, Math.max(1, (TARGET_BYTES * tasks.length) / Math.max(1, bytes))));
  }
}

async function readPage(api: TaskApi, env: string, split: string, start: number, stop: number) {
  try {
    return await api.taskRange(env, split, start, stop);
  } catch (error) {
    if (!isOfATask(error)) throw error;
    const index = await culprit(api, env, split, start, stop);
    throw new UserError(`the server can't give task ${split}[${index}]: ${(error as Error).message}`, {
      where: (error as UserError).where ?? split,
      fix: 'the task may hold NaN, or bytes that are not UTF-8: mend it on the server, or leave its split out with --split',
      cause: error,
    });
  }
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
