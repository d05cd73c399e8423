import { UserError } from '../errors.js';
import type { Toolset } from '../model.js';
import { excerpt } from '../openenv/index.js';
import { identityOf, type ListedTask, nameOf } from './descriptor.js';
import { dockerFix } from './docker.js';
import { type Played, PlayFailed } from './play.js';
import type { Reporter } from './reporter.js';
import { type PlayedTask, SharedToolsets, unlike } from './shared-toolsets.js';

export interface ToolsetOptions {
  /** Tasks of one key that are played, at most; `Infinity` plays every task where tools differ. */
  probes: number;
  /** The splits in the order in which they are read. */
  splits: readonly string[];
}

/** Where to look for more tasks of a key. */
export interface Lookup {
  /** The nearest few to the middle or the end of the largest split. */
  near(key: string, from: 'middle' | 'last'): AsyncIterable<ListedTask>;
  /** The next few in the same split. */
  after(task: ListedTask): AsyncIterable<ListedTask>;
  /** All of them. */
  every(key: string): AsyncIterable<ListedTask>;
  /** Tasks that the server has, each once as far as that can be told. */
  total: number;
}

const TRIES = 3;
const MAX_KEYS = 1000;

/**
 * Decides which tasks are played to learn the tools of all. A key that the server declares is played once; another one at
 * its first, middle and last task, and where these differ, each task by itself. A server with no more tasks than `probes`
 * has each of them played, since three of six can miss what the others have.
 */
export class Toolsets {
  /** What a key's tasks share: null where their tools differ. */
  private readonly keys = new Map<string, Promise<Toolset | null>>();
  private readonly settled = new Map<string, Toolset>();
  /** By identity: the tasks that are played by themselves. */
  private readonly single = new Map<string, Promise<Toolset | null>>();
  private readonly shared: SharedToolsets;
  private readonly failures: string[] = [];
  private failedInRow = 0;

  constructor(
    private readonly playTask: (task: ListedTask) => Promise<Played>,
    private readonly lookup: Lookup,
    private readonly options: ToolsetOptions,
    private readonly reporter: Reporter,
  ) {
    this.shared = new SharedToolsets(options.splits);
  }

  /** In the order of their first task, whatever order the plays ended in. */
  get list(): Toolset[] {
    return this.shared.list;
  }

  /** Starts what has to be played to know the task's tools, so that several are played at once. */
  start(task: ListedTask): void {
    if (!this.settled.has(task.key)) this.of(task).catch(() => {}); // told where it is awaited
  }

  /** The task's toolset where that is known already. */
  get(task: ListedTask): Toolset | undefined {
    return this.settled.get(task.key);
  }

  /** The task's toolset; a key that is met for the first time is played now. */
  async of(task: ListedTask): Promise<Toolset> {
    let shared = this.keys.get(task.key);
    if (!shared) {
      if (this.keys.size >= MAX_KEYS) {
        throw new UserError(`the tasks name more than ${MAX_KEYS} toolsets or agents`, {
          where: nameOf(task),
          fix: 'give tasks with the same tools the same "toolset" in their descriptors',
        });
      }
      shared = task.declared ? this.first(task) : this.sample(task);
      this.keys.set(task.key, shared);
    }
    const toolset = await shared;
    if (toolset) this.settled.set(task.key, toolset);
    return toolset ?? this.own(task);
  }

  /** @throws UserError where a task that had to be played by itself could not be */
  check(): void {
    if (this.failures.length === 0) return;
    throw new UserError('tasks could not be played to learn their tools', {
      details: this.failures.slice(0, 20),
      fix:
        dockerFix(this.failures) ??
        'correct them on the server (its log may say more), or leave their splits out with --split',
    });
  }

  private async first(task: ListedTask): Promise<Toolset> {
    return this.shared.learn(await this.playOneOf([chain(task, this.lookup.after(task))]), task.key);
  }

  private async sample(task: ListedTask): Promise<Toolset | null> {
    const { key } = task;
    const { probes } = this.options;
    const { total } = this.lookup;
    if (total <= probes && Number.isFinite(probes)) return this.playEvery(task);
    const others = (['last', 'middle'] as const).slice(0, probes - 1).map((from) => this.lookup.near(key, from));
    const played = await this.playOneOf([chain(task, this.lookup.after(task)), ...others]);
    const differing = unlike(played);
    if (!differing) return this.shared.learn(played, key);
    if (Number.isFinite(probes)) {
      throw new UserError(`tasks of one agent have different tools: ${differing}`, {
        where: excerpt(key),
        fix:
          `--probes all plays every task to learn its tools, about ${total} episodes (--probes N allows up to N); ` +
          'or declare a "toolset" in the task descriptors',
      });
    }
    this.keepSingle(played);
    return null;
  }

  /** Plays all tasks of a key; one that fails has the tools of the others where these are all the same. */
  private async playEvery(first: ListedTask): Promise<Toolset | null> {
    const distinct = new Map([[identityOf(first), first]]);
    for await (const task of this.lookup.every(first.key))
      if (!distinct.has(identityOf(task))) distinct.set(identityOf(task), task);
    const tasks = [...distinct.values()];
    const results = await Promise.allSettled(tasks.map((task) => this.playTask(task)));
    const played: PlayedTask[] = [];
    for (const [n, task] of tasks.entries()) {
      const result = this.counted(results[n] as PromiseSettledResult<Played>);
      if (result) played.push({ task, ...result });
      else this.single.set(identityOf(task), Promise.resolve(null));
    }
    if (played.length === 0) this.check();
    if (unlike(played)) {
      this.keepSingle(played);
      return null;
    }
    for (const failure of this.failures.splice(0)) this.reporter.warn(`could not play ${failure}`);
    return this.shared.learn(played, first.key);
  }

  private keepSingle(played: PlayedTask[]): void {
    for (const each of played) this.single.set(identityOf(each.task), Promise.resolve(this.shared.learn([each])));
  }

  private async own(task: ListedTask): Promise<Toolset> {
    const identity = identityOf(task);
    let single = this.single.get(identity);
    if (!single) {
      single = this.playOwn(task);
      this.single.set(identity, single);
    }
    // A task that failed has no tools; check() tells of it before anything is written.
    return (await single) ?? { key: task.key, tasks: [], turns: [[]] };
  }

  private async playOwn(task: ListedTask): Promise<Toolset | null> {
    const [result] = await Promise.allSettled([this.playTask(task)]);
    const played = this.counted(result);
    return played && this.shared.learn([{ task, ...played }]);
  }

  /** What a play found, or null where its environment failed. @throws any other failure, and the third of those in a row */
  private counted(result: PromiseSettledResult<Played>): Played | null {
    if (result.status === 'fulfilled') {
      this.failedInRow = 0;
      return result.value;
    }
    if (!(result.reason instanceof PlayFailed)) throw result.reason;
    this.failures.push(describe(result.reason));
    this.failedInRow += 1;
    if (this.failedInRow >= TRIES) this.check();
    return null;
  }

  /** Of each list of candidates, the first that can be played; a list whose tasks were all tried by others gives none. */
  private async playOneOf(lists: AsyncIterable<ListedTask>[]): Promise<PlayedTask[]> {
    const tried = new Set<string>();
    const played = await Promise.all(lists.map((candidates) => this.playFirst(candidates, tried)));
    return played.filter((each) => each !== null);
  }

  private async playFirst(candidates: AsyncIterable<ListedTask>, tried: Set<string>): Promise<PlayedTask | null> {
    const failed: string[] = [];
    for await (const task of candidates) {
      const identity = identityOf(task);
      if (tried.has(identity)) continue;
      tried.add(identity);
      try {
        return { task, ...(await this.playTask(task)) };
      } catch (error) {
        if (!(error instanceof PlayFailed)) throw error;
        failed.push(describe(error));
        if (failed.length === TRIES) break;
        this.reporter.warn(`could not play ${describe(error)}; trying the next task`);
      }
    }
    this.failures.push(...failed);
    if (failed.length > 0) this.check();
    return null;
  }
}

async function* chain(first: ListedTask, rest: AsyncIterable<ListedTask>): AsyncGenerator<ListedTask> {
  yield first;
  yield* rest;
}

function describe(error: PlayFailed): string {
  return error.fix ? `${error.message} (${error.fix})` : error.message;
}
