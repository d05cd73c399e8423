import { setImmediate } from 'node:timers/promises';
import { UserError } from '../errors.js';
import type { Split } from '../model.js';
import { HttpStatusError, NotJsonError, type TaskApi, type TaskDescriptor, type TaskRange } from '../openenv/index.js';

/** Tasks of one split that came in one answer. */
export interface Page {
  split: Split;
  /** Index of its first task. */
  start: number;
  tasks: TaskDescriptor[];
}

/** A page takes one round trip, and memory while it is parsed and written. */
const TARGET_BYTES = 2 ** 19;
const FIRST_TASKS = 128;
const MAX_TASKS = 4096;

/**
 * Pages that are asked for while one is read: with one alone, the server would have nothing to do while that is on its way. The
 * first page of a split is a short one, and may be one more.
 */
const ASKED = 3;

/**
 * The tasks of some splits from 0 to their counts, in pages of about half a megabyte. Behind the first, nothing is asked for until
 * its reader is back, who knows by then what else to ask the server. Later ones are read while the server makes the next three.
 * @throws UserError where the server gives fewer or more than asked for, or one of them breaks its answer
 */
export async function* pages(api: TaskApi, env: string, splits: readonly Split[]): AsyncGenerator<Page> {
  const ranges = new Ranges(api, env, splits);
  ranges.askFirst();
  for (let next = ranges.take(); next; next = ranges.take()) {
    const { split, start, stop, range } = next;
    const isFirst = split === splits[0] && start === 0;
    let page: Page;
    try {
      const { read } = await range;
      if (!isFirst) {
        ranges.ask();
        await setImmediate(); // they are sent
      }
      page = { split, start, tasks: read() };
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
    if (isFirst) ranges.ask();
  }
}

interface Range {
  split: Split;
  start: number;
  stop: number;
  range: Promise<TaskRange>;
}

/** What is asked of the server, in order. */
class Ranges {
  private readonly asked: Range[] = [];
  private readonly left: Split[];
  private start = 0;
  /** Tasks of the first split that is left that make a page; 0 until some of it came. */
  private length = 0;
  private isOpen = false;

  constructor(
    private readonly api: TaskApi,
    private readonly env: string,
    splits: readonly Split[],
  ) {
    this.left = [...splits];
  }

  /** The next one that was asked for. */
  take(): Range | undefined {
    return this.asked.shift();
  }

  /** Asks for one, and for no more until `ask`. */
  askFirst(): void {
    if (this.left.length > 0) this.askNext();
  }

  /** Asks for more, now and when it is known how large the tasks of a split are. */
  ask(): void {
    this.isOpen = true;
    while (this.mayAsk()) this.askNext();
  }

  private mayAsk(): boolean {
    if (this.left.length === 0) return false;
    if (this.start === 0) return this.asked.length <= ASKED;
    return this.length > 0 && this.asked.filter(({ start }) => start > 0).length < ASKED;
  }

  private askNext(): void {
    const split = this.left[0] as Split;
    const { start } = this;
    const stop = Math.min(start + (this.length || FIRST_TASKS), split.count);
    const range = this.api.askTaskRange(this.env, split.name, start, stop);
    range.then(
      ({ bytes }) => this.learn(split, stop - start, bytes),
      () => {}, // told where it is awaited
    );
    this.asked.push({ split, start, stop, range });
    this.start = stop;
    if (stop < split.count) return;
    this.left.shift();
    this.start = 0;
    this.length = 0;
  }

  /** Tasks came, in so many bytes. */
  private learn(split: Split, tasks: number, bytes: number): void {
    if (split !== this.left[0]) return;
    this.length = Math.round(Math.min(MAX_TASKS, Math.max(1, (TARGET_BYTES * tasks) / Math.max(1, bytes))));
    if (this.isOpen) this.ask();
  }
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
