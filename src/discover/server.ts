import { UserError } from '../errors.js';
import type { DiscoverySummary, Served, Split, Task } from '../model.js';
import {
  HttpClient,
  pages,
  parseServerUrl,
  prefetch,
  prepareSessions,
  type ServerUrl,
  TaskApi,
} from '../openenv/index.js';
import type { Reporter } from '../reporter.js';
import { type Connection, connect } from './connection.js';
import { FingerprintSet, fingerprint } from './fingerprints.js';
import { chooseSplits, countDifferentTasks, identityOf, type ListedTask, nameOf, readDescriptor } from './listing.js';
import type { DiscoverOptions, OpenDiscovery } from './options.js';
import { type ProbeResult, probeTools } from './probe/episode.js';
import { Toolsets } from './probe/toolsets.js';

/** How many tasks to search for another one with the same key. */
const NEARBY_TASKS = 64;

const CHANGED = 'run gymgen again when the tasks on the server no longer change';

/**
 * Discovers what a server serves.
 * @param url in any form that `parseServerUrl` reads
 * @throws UserError if the server cannot be reached, is not an OpenEnv server, has no tasks and none are provided, or lacks a
 * selected split
 */
export async function discover(url: string, options: DiscoverOptions, reporter: Reporter): Promise<OpenDiscovery> {
  const connection = await connect(url, options, reporter);
  try {
    if (options.provided) {
      const { discoverProvided } = await import('./provided/discovery.js');
      return await discoverProvided(connection, options.provided, options, reporter);
    }
    const { api, server } = connection;
    const envName = onlyEnvironment(await api.environments(), server);
    const { splits, served } = await countSplits(api, envName, options, reporter);
    return new ServerDiscovery(connection, envName, splits, served, options, reporter);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Asks a server for the name of its environment only.
 * @throws UserError if the server cannot be reached, or is not an OpenEnv server
 */
export async function discoverName(url: string, options: Pick<DiscoverOptions, 'headers' | 'signal'>): Promise<string> {
  const server = parseServerUrl(url);
  const http = new HttpClient(server, { ...options, idleTimeout: 10 });
  try {
    return onlyEnvironment(await new TaskApi(http, server.http).environments(), server);
  } finally {
    http.close();
  }
}

function onlyEnvironment(environments: string[], server: ServerUrl): string {
  const [name, ...more] = environments;
  if (name !== undefined && more.length === 0) return name;
  throw new UserError(`the server has ${environments.length} environments; gymgen supports one`, {
    where: `${server.http}/list_environments`,
    fix: 'serve one environment per server',
  });
}

async function countSplits(
  api: TaskApi,
  env: string,
  options: DiscoverOptions,
  reporter: Reporter,
): Promise<{ splits: Split[]; served: Served }> {
  const all = [...new Set(await api.splits(env))];
  const names = chooseSplits(all, options.splits);
  const counts = await Promise.all(names.map((name) => api.numTasks(env, name)));
  const splits: Split[] = [];
  for (const [at, name] of names.entries()) {
    const count = Math.min(counts[at] as number, options.limit);
    if (count > 0) splits.push({ name, count });
    else reporter.warn(`split '${name}' has no tasks and is skipped`);
  }
  if (splits.length === 0)
    throw new UserError('the server has no tasks', {
      fix: 'serve an environment with tasks, or provide tasks with --tasks FILE or --episodes N',
    });
  const tasks = Object.fromEntries(names.map((name, at) => [name, counts[at] as number]));
  return { splits, served: { tasks, otherSplits: all.filter((name) => !names.includes(name)) } };
}

class ServerDiscovery implements OpenDiscovery {
  readonly action?: NonNullable<OpenDiscovery['action']>;
  private readonly api: TaskApi;
  private readonly prober: Toolsets;
  private pages: AsyncGenerator<ListedTask[]> | undefined;
  /** Checks of the splits that were read, which run while the next split is read. */
  private readonly checks: Promise<void>[] = [];
  private readonly warned = new Set<string>();

  constructor(
    private readonly connection: Connection,
    readonly envName: string,
    readonly splits: Split[],
    readonly served: Served,
    private readonly options: DiscoverOptions,
    private readonly reporter: Reporter,
  ) {
    this.api = connection.api;
    const { action } = connection.environment;
    if (action) this.action = action;
    const largest = splits.reduce((a, b) => (b.count > a.count ? b : a));
    this.prober = new Toolsets(
      (task) => this.probe(task),
      {
        near: (key, from) =>
          from === 'middle'
            ? this.nearby(largest, key, largest.count >> 1, 1)
            : this.nearby(largest, key, largest.count - 1, -1),
        after: (task) => this.nearby(this.splitOf(task), task.key, task.index + 1, 1),
        every: (key) => this.every(key),
        total: countDifferentTasks(splits),
      },
      { probes: options.probes, splits: splits.map(({ name }) => name) },
      reporter,
    );
  }

  counts() {
    return this.connection.counts();
  }

  tasks(split: Split): AsyncGenerator<Task[]> {
    this.pages ??= prefetch(this.listedPages(), 1);
    prepareSessions(); // while the server prepares the first page
    return this.readSplit(split, this.pages);
  }

  async finish(): Promise<DiscoverySummary> {
    if (this.checks.length < this.splits.length) throw new Error('finished before all tasks are read');
    await Promise.all(this.checks);
    return this.prober.summary();
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.pages?.return(undefined);
  }

  private async *readSplit(split: Split, pages: AsyncGenerator<ListedTask[]>): AsyncGenerator<Task[]> {
    const seen = new FingerprintSet(split.count + 1);
    const ends: ListedTask[] = [];
    this.read(split, 0);
    for (let left = split.count; left > 0; ) {
      const { value } = await pages.next();
      const listed: ListedTask[] = value ?? [];
      if (listed[0]?.split !== split.name) throw new Error(`split '${split.name}' is read out of order`);
      left -= listed.length;
      const page: Task[] = [];
      for (const task of listed) {
        if (!seen.add(fingerprint(task.id))) {
          throw new UserError(`task ${nameOf(task)}: duplicate id in the split`, { fix: CHANGED });
        }
        page.push(Object.assign(task, { toolset: this.prober.known(task) ?? (await this.prober.find(task)) }));
      }
      if (ends.length === 0) ends.push(listed[0] as ListedTask);
      ends[1] = listed.at(-1) as ListedTask;
      this.read(split, split.count - left);
      yield page;
    }
    this.prober.assertAllProbed();
    const check = this.assertUnchanged(split, ends);
    check.catch(() => {}); // reported when awaited
    this.checks.push(check);
  }

  private read({ name, count }: Split, done: number): void {
    this.reporter.progress({ phase: 'read', from: name, unit: 'tasks', done, total: count });
  }

  /** The tasks of all splits, in pages of one split each. The probes of a page are started before it is returned. */
  private async *listedPages(): AsyncGenerator<ListedTask[]> {
    for await (const { split, start, tasks } of pages(this.api, this.envName, this.splits)) {
      const listed = tasks.map((task, offset) => readDescriptor(task, split.name, start + offset));
      for (const task of listed) this.prober.prefetch(task);
      yield listed;
    }
  }

  private probe(task: ListedTask): Promise<ProbeResult> {
    const { sessions, environment, track } = this.connection;
    return track(
      sessions
        .use((session, seconds) => probeTools(session, task, seconds, environment, this.options))
        .then((result) => {
          this.warnAbout(task, result);
          return result;
        }),
    );
  }

  private warnAbout(task: ListedTask, { identified, differing }: ProbeResult): void {
    if (!identified) {
      this.warnOnce('identity', 'the server does not report metadata.task; episode identity is unchecked');
    }
    if (differing) {
      this.warnOnce(
        'prompt',
        `task ${nameOf(task)}: the reset shows a different ${differing} than the task list, which the rows use; ` +
          'serve the same text for both, or write rows from resets with --tasks FILE',
      );
    }
  }

  private warnOnce(kind: string, text: string): void {
    if (this.warned.has(kind)) return;
    this.warned.add(kind);
    this.reporter.warn(text);
  }

  /** The nearest tasks with a key, from an index on, in one direction. */
  private async *nearby(split: Split, key: string, from: number, step: 1 | -1): AsyncGenerator<ListedTask> {
    const start = Math.max(0, step > 0 ? from : from - NEARBY_TASKS + 1);
    const stop = Math.min(split.count, step > 0 ? from + NEARBY_TASKS : from + 1);
    if (start >= stop) return;
    // The first task is nearly always enough.
    const nearest = step > 0 ? start : stop - 1;
    for (const [low, high] of [[nearest, nearest + 1], step > 0 ? [nearest + 1, stop] : [start, nearest]] as const) {
      if (low >= high) continue;
      const listed = await this.listRange(split, low, high);
      yield* (step > 0 ? listed : listed.reverse()).filter((task) => task.key === key);
    }
  }

  /** The tasks with a key in all splits, for a server that has few. */
  private async *every(key: string): AsyncGenerator<ListedTask> {
    for (const split of this.splits) {
      yield* (await this.listRange(split, 0, split.count)).filter((task) => task.key === key);
    }
  }

  private async listRange({ name }: Split, start: number, stop: number): Promise<ListedTask[]> {
    const tasks = await this.api.taskRange(this.envName, name, start, stop);
    return tasks.map((task, offset) => readDescriptor(task, name, start + offset));
  }

  private splitOf({ split: name }: ListedTask): Split {
    return this.splits.find((split) => split.name === name) as Split;
  }

  /**
   * @param ends the first and the last task that were read
   * @throws UserError if the split changed while it was read
   */
  private async assertUnchanged(split: Split, ends: ListedTask[]): Promise<void> {
    const count = Math.min(await this.api.numTasks(this.envName, split.name), this.options.limit);
    const changes: string[] = [];
    if (count !== split.count) changes.push(`it had ${split.count} tasks and now has ${count}`);
    else {
      const current = await Promise.all(ends.map(({ index }) => this.listRange(split, index, index + 1)));
      for (const [at, task] of ends.entries()) {
        const now = current[at]?.[0];
        if (!now || identityOf(now) !== identityOf(task)) changes.push(`task ${nameOf(task)} was replaced`);
      }
    }
    if (changes.length > 0) {
      throw new UserError(`split '${split.name}' changed while it was read: ${changes.join('; ')}`, { fix: CHANGED });
    }
  }
}
