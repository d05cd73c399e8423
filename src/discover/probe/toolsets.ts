import { UserError } from '../../errors.js';
import type { DiscoverySummary, Toolset } from '../../model.js';
import { excerpt } from '../../openenv/index.js';
import type { Reporter } from '../../reporter.js';
import { dockerFix } from '../connection.js';
import { identityOf, type ListedTask, nameOf } from '../listing.js';
import { ProbeFailed, type ProbeResult } from './episode.js';
import { describeDifference, SharedToolsets, type TaskTools } from './shared-toolsets.js';

export interface ToolsetOptions {
  /** All tasks are probed if the server has at most this many; `Infinity` probes all tasks only if their tools differ. */
  probes: number;
  /** The splits in the order in which they are read. */
  splits: readonly string[];
}

/** Finds more tasks with a key. */
export interface TaskLookup {
  /** A few tasks near the middle or the end of the largest split, nearest first. */
  near(key: string, from: 'middle' | 'last'): AsyncIterable<ListedTask>;
  /** The next few tasks of the same split. */
  after(task: ListedTask): AsyncIterable<ListedTask>;
  /** All tasks. */
  every(key: string): AsyncIterable<ListedTask>;
  /** Estimated number of different tasks. */
  total: number;
}

/** Probed tasks of one agent have different tools, and not all tasks may be probed. */
export class ToolsDiffer extends UserError {
  override readonly name = 'ToolsDiffer';
}

/** Failed probes in a row that end the run. */
const MAX_FAILURES = 3;
const MAX_KEYS = 1000;

/**
 * Decides which tasks are probed to learn the tools of all tasks. A declared key is probed once. Any other key is probed at its
 * first, middle and last task; if their tools differ, each task is probed. If a server has no more tasks than `probes`, all are
 * probed, because three tasks of six can miss the tools of the others.
 */
export class Toolsets {
  /** The common toolset of a key; null if its tasks have different tools. */
  private readonly byKey = new Map<string, Promise<Toolset | null>>();
  private readonly settled = new Map<string, Toolset>();
  /** Tasks that are probed one by one, by identity; null if the probe failed. */
  private readonly byTask = new Map<string, Promise<Toolset | null>>();
  private readonly shared: SharedToolsets;
  private readonly probed = { done: 0, total: 0, tasks: { done: 0, total: 0 } };
  /** Calls that wait for a probe: reading goes on while tasks are probed ahead. */
  private waiting = 0;
  private readonly failures: string[] = [];
  private failuresInRow = 0;
  /** Names of the scores of all probes that reached the end of an episode; undefined if none did. */
  private scores: ReadonlySet<string> | undefined;

  /**
   * @param probe runs an episode of a task
   * @param scores of earlier probes
   */
  constructor(
    private readonly probe: (task: ListedTask) => Promise<ProbeResult>,
    private readonly lookup: TaskLookup,
    private readonly options: ToolsetOptions,
    private readonly reporter: Reporter,
    scores?: ReadonlySet<string>,
  ) {
    this.scores = scores;
    this.shared = new SharedToolsets(options.splits);
  }

  /** Starts the probes that a task needs, so that several run at a time. */
  prefetch(task: ListedTask): void {
    if (!this.settled.has(task.key)) this.findOrProbe(task).catch(() => {}); // reported when awaited
  }

  /** The toolset of a task, if it is known already. */
  known(task: ListedTask): Toolset | undefined {
    return this.settled.get(task.key);
  }

  /** The toolset of a task, which is probed if needed. */
  async find(task: ListedTask): Promise<Toolset> {
    this.waiting += 1;
    try {
      const found = this.findOrProbe(task);
      this.report();
      return await found;
    } finally {
      this.waiting -= 1;
    }
  }

  private report(): void {
    const { tasks, ...toolsets } = this.probed;
    if (this.waiting > 0) this.reporter.progress({ phase: 'probe', ...toolsets, tasks: { ...tasks } });
  }

  private async findOrProbe(task: ListedTask): Promise<Toolset> {
    let common = this.byKey.get(task.key);
    if (!common) {
      if (this.byKey.size >= MAX_KEYS) {
        throw new UserError(`tasks name more than ${MAX_KEYS} toolsets or agents`, {
          where: nameOf(task),
          fix: 'declare the same "toolset" in the descriptors of tasks with the same tools',
        });
      }
      this.probed.total += 1;
      common = (task.declared ? this.probeDeclared(task) : this.probeSample(task)).finally(() => {
        this.probed.done += 1;
      });
      this.byKey.set(task.key, common);
    }
    const toolset = await common;
    if (toolset) this.settled.set(task.key, toolset);
    return toolset ?? this.findOwn(task);
  }

  /** @throws UserError if the toolset of a task is unknown because its probe failed */
  summary(): DiscoverySummary {
    this.assertAllProbed();
    return { toolsets: this.shared.list, ...(this.scores ? { scores: this.scores } : {}) };
  }

  /** @throws UserError if the toolset of a task is unknown because its probe failed */
  assertAllProbed(): void {
    if (this.failures.length === 0) return;
    throw new UserError('could not probe tasks for their tools', {
      details: this.failures.slice(0, 20),
      fix:
        dockerFix(this.failures) ??
        'correct the tasks on the server (see its log), or select other splits with --split',
    });
  }

  private async probeDeclared(task: ListedTask): Promise<Toolset> {
    return this.shared.add(await this.probeOneOfEach([prepend(task, this.lookup.after(task))]), task.key);
  }

  /** `recording/probe-choice.ts` has to choose the same tasks. */
  private async probeSample(task: ListedTask): Promise<Toolset | null> {
    const { key } = task;
    const { probes } = this.options;
    const { total } = this.lookup;
    if (total <= probes && Number.isFinite(probes)) return this.probeEvery(task);
    const others = (['last', 'middle'] as const).slice(0, probes - 1).map((from) => this.lookup.near(key, from));
    const probed = await this.probeOneOfEach([prepend(task, this.lookup.after(task)), ...others]);
    const difference = describeDifference(probed);
    if (!difference) return this.shared.add(probed, key);
    if (Number.isFinite(probes)) {
      throw new ToolsDiffer(`tasks of one agent have different tools: ${difference}`, {
        where: excerpt(key),
        fix:
          `pass --probes all to probe every task (about ${total} episodes) or --probes N to allow N probes, ` +
          'or declare a "toolset" in the task descriptors',
      });
    }
    this.addOneByOne(probed);
    return null;
  }

  /** Probes all tasks of a key. A failed task gets the tools of the others if these are the same. */
  private async probeEvery(first: ListedTask): Promise<Toolset | null> {
    const distinct = new Map([[identityOf(first), first]]);
    for await (const task of this.lookup.every(first.key))
      if (!distinct.has(identityOf(task))) distinct.set(identityOf(task), task);
    const tasks = [...distinct.values()];
    const results = await Promise.allSettled(tasks.map((task) => this.runProbe(task)));
    const probed: TaskTools[] = [];
    for (const [n, task] of tasks.entries()) {
      const tools = this.countFailure(results[n] as PromiseSettledResult<TaskTools>);
      if (tools) probed.push(tools);
      else this.byTask.set(identityOf(task), Promise.resolve(null));
    }
    if (probed.length === 0) this.assertAllProbed();
    if (describeDifference(probed)) {
      this.addOneByOne(probed);
      return null;
    }
    for (const failure of this.failures.splice(0)) this.reporter.warn(`could not probe ${failure}`);
    return this.shared.add(probed, first.key);
  }

  private addOneByOne(probed: TaskTools[]): void {
    for (const each of probed) this.byTask.set(identityOf(each.task), Promise.resolve(this.shared.add([each])));
  }

  private async findOwn(task: ListedTask): Promise<Toolset> {
    const identity = identityOf(task);
    let own = this.byTask.get(identity);
    if (!own) {
      own = this.probeOwn(task);
      this.byTask.set(identity, own);
    }
    // A failed task gets no tools: assertAllProbed() reports it before anything is written.
    return (await own) ?? { key: task.key, tasks: [], turns: [[]] };
  }

  private async probeOwn(task: ListedTask): Promise<Toolset | null> {
    const [result] = await Promise.allSettled([this.runProbe(task)]);
    const probed = this.countFailure(result);
    return probed && this.shared.add([probed]);
  }

  private async runProbe(task: ListedTask): Promise<TaskTools> {
    this.probed.tasks.total += 1;
    this.report();
    const { turns, scores } = await this.probe(task).finally(() => {
      this.probed.tasks.done += 1;
    });
    this.report();
    if (scores) this.scores = new Set([...(this.scores ?? []), ...scores]);
    return { task, turns };
  }

  /** The result of a probe, or null if it failed. @throws any other failure, and the third failed probe in a row */
  private countFailure(result: PromiseSettledResult<TaskTools>): TaskTools | null {
    if (result.status === 'fulfilled') {
      this.failuresInRow = 0;
      return result.value;
    }
    if (!(result.reason instanceof ProbeFailed)) throw result.reason;
    this.failures.push(describeFailure(result.reason));
    this.failuresInRow += 1;
    if (this.failuresInRow >= MAX_FAILURES) this.assertAllProbed();
    return null;
  }

  /** Probes one task of each list, skipping tasks of other lists. */
  private async probeOneOfEach(lists: AsyncIterable<ListedTask>[]): Promise<TaskTools[]> {
    const tried = new Set<string>();
    const probed = await Promise.all(lists.map((candidates) => this.probeFirst(candidates, tried)));
    return probed.filter((each) => each !== null);
  }

  private async probeFirst(candidates: AsyncIterable<ListedTask>, tried: Set<string>): Promise<TaskTools | null> {
    const failed: string[] = [];
    for await (const task of candidates) {
      const identity = identityOf(task);
      if (tried.has(identity)) continue;
      tried.add(identity);
      try {
        return await this.runProbe(task);
      } catch (error) {
        if (!(error instanceof ProbeFailed)) throw error;
        failed.push(describeFailure(error));
        if (failed.length === MAX_FAILURES) break;
        this.reporter.warn(`could not probe ${describeFailure(error)}; trying the next task`);
      }
    }
    this.failures.push(...failed);
    if (failed.length > 0) this.assertAllProbed();
    return null;
  }
}

async function* prepend(first: ListedTask, rest: AsyncIterable<ListedTask>): AsyncGenerator<ListedTask> {
  yield first;
  yield* rest;
}

function describeFailure(error: ProbeFailed): string {
  return error.fix ? `${error.message} (${error.fix})` : error.message;
}
