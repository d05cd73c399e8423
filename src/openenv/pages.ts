import { UserError } from '../errors.js';
import { HttpStatusError, NotJsonError } from './http-answer.js';
import type { TaskApi, TaskDescriptor, TaskPage } from './task-api.js';

/**
 * Starts reading a source at once and stays `count` items ahead of the reader, so that the source works while an item
 * is processed. A failure of the source is thrown when its item is read.
 */
export function prefetch<T>(source: AsyncGenerator<T>, count: number): AsyncGenerator<T> {
  const items: Promise<IteratorResult<T>>[] = [];
  const request = () => {
    const item = source.next();
    item.catch(() => {}); // thrown when the item is read
    items.push(item);
  };
  while (items.length < count) request();
  return (async function* () {
    try {
      for (;;) {
        request();
        const item = (await items.shift()) as IteratorResult<T>;
        if (item.done) return;
        yield item.value;
      }
    } finally {
      await source.return(undefined);
    }
  })();
}

/** A split, with the number of its tasks to read. */
export interface CountedSplit {
  name: string;
  count: number;
}

/** Tasks of one split, from one response. */
export interface Page<S extends CountedSplit = CountedSplit> {
  split: S;
  /** Index of its first task. */
  start: number;
  tasks: TaskDescriptor[];
}

/** A page takes one round trip, and memory until it is written. */
const TARGET_BYTES = 2 ** 19;
/** Tasks of the first page of a split, when the size of its tasks is not known yet. */
const FIRST_TASKS = 128;
const MAX_TASKS = 4096;
/** Pages requested before their reader asks for them, so that the server is never idle. */
const AHEAD = 2;

/**
 * The tasks of some splits from 0 to their counts, in pages of about half a megabyte.
 * @throws UserError if the server returns fewer or more tasks than requested, or if a task makes the response invalid
 */
export async function* pages<S extends CountedSplit>(
  api: TaskApi,
  env: string,
  splits: readonly S[],
): AsyncGenerator<Page<S>> {
  for await (const { split, start, stop, answer } of prefetch(requests(api, env, splits), AHEAD)) {
    const { tasks } = await answer.catch(async (error: unknown) => {
      throw mayBeCausedByTask(error) ? await withTask(error as UserError, api, env, split.name, start, stop) : error;
    });
    if (tasks.length !== stop - start) {
      throw new UserError(
        `split '${split.name}': the server returned ${tasks.length} tasks instead of ${stop - start}`,
        {
          details: [`requested: tasks ${start} to ${stop} of ${split.count}`],
          fix: 'run gymgen again; if the error stays, correct num_tasks or get_task_range on the server',
        },
      );
    }
    yield { split, start, tasks };
  }
}

interface Request<S> {
  split: S;
  start: number;
  stop: number;
  answer: Promise<TaskPage>;
}

/** Sends a request for each page. The first page of a split is short: its size shows how many tasks fit into a page. */
async function* requests<S extends CountedSplit>(
  api: TaskApi,
  env: string,
  splits: readonly S[],
): AsyncGenerator<Request<S>> {
  for (const split of splits) {
    let length = FIRST_TASKS;
    for (let start = 0; start < split.count; ) {
      const stop = Math.min(start + length, split.count);
      const answer = api.taskPage(env, split.name, start, stop);
      const learned = answer.then(
        ({ tasks, bytes }) => {
          length = Math.round(Math.min(MAX_TASKS, Math.max(1, (TARGET_BYTES * tasks.length) / bytes)));
        },
        () => {}, // thrown when the page is read
      );
      yield { split, start, stop, answer };
      if (start === 0) await learned;
      start = stop;
    }
  }
}

/** The same error, naming the task that causes it. */
async function withTask(error: UserError, api: TaskApi, env: string, split: string, start: number, stop: number) {
  const index = await firstUnreadable(api, env, split, start, stop);
  return new UserError(`the server cannot return task ${split}[${index}]: ${error.message}`, {
    where: error.where ?? split,
    fix: 'correct the task on the server (it may contain NaN or invalid UTF-8), or select other splits with --split',
    cause: error,
  });
}

/** Whether one task may be the cause: if a value is NaN, for example, FastAPI returns HTTP 500 or invalid JSON. */
function mayBeCausedByTask(error: unknown): boolean {
  return error instanceof NotJsonError || (error instanceof HttpStatusError && error.status === 500);
}

/** The first task of a range that cannot be read, found by halving the range. */
async function firstUnreadable(api: TaskApi, env: string, split: string, start: number, stop: number): Promise<number> {
  let [low, high] = [start, stop];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    try {
      await api.taskRange(env, split, low, middle);
      low = middle;
    } catch (error) {
      if (!mayBeCausedByTask(error)) throw error;
      high = middle;
    }
  }
  return low;
}
