import { formatCount } from '../display-text.js';
import { UserError } from '../errors.js';
import type { Split, Task } from '../model.js';
import {
  HttpClient,
  pages,
  parseServerUrl,
  prefetch,
  prepareSessions,
  type ServerUrl,
  TaskApi,
} from '../openenv/index.js';
import { chosenSplits } from './chosen-splits.js';
import { type Connection, connect } from './connection.js';
import { identityOf, type ListedTask, nameOf, readDescriptor } from './descriptor.js';
import { FingerprintSet, fingerprint } from './fingerprints.js';
import type { DiscoverOptions, OpenDiscovery } from './options.js';
import { play } from './play.js';
import type { Reporter } from './reporter.js';
import { Toolsets } from './toolsets.js';

/** How far to look for another task of a key. */
const NEAR_TASKS = 64;

/**
 * Asks a server what it serves.
 * @param url in any form that `parseServerUrl` reads
 * @throws UserError where it can't be reached, is no OpenEnv server, has no tasks and none are given, or lacks a split that
 * is asked for
 */
export async function discover(url: string, options: DiscoverOptions, reporter: Reporter): Promise<OpenDiscovery> {
  const connection = await connect(url, options, reporter);
  try {
    if (options.given) {
      const { openGiven } = await import('./given.js');
      return await openGiven(connection, options.given, options, reporter);
    }
    const { api, server } = connection;
    const envName = only(await api.environments(), server);
    const splits = await countSplits(api, envName, options, reporter);
    return new ServerDiscovery(connection, envName, splits, options, reporter);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * What a server calls its environment, without asking more of it.
 * @throws UserError where it can't be reached, or is no OpenEnv server
 */
export async function discoverName(url: string, options: Pick<DiscoverOptions, 'headers' | 'signal'>): Promise<string> {
  const server = parseServerUrl(url);
  const http = new HttpClient(server, { ...options, idleTimeout: 10 });
  try {
    return only(await new TaskApi(http, server.http).environments(), server);
  } finally {
    http.close();
  }
}

function only(environments: string[], server: ServerUrl): string {
  const [name, ...more] = environments;
  if (name !== undefined && more.length === 0) return name;
  throw new UserError(`the server names ${environments.length} environments, and gymgen writes one`, {
    where: `${server.http}/list_environments`,
    fix: 'serve them one by one',
  });
}

async function countSplits(api: TaskApi, env: string, options: DiscoverOptions, reporter: Reporter): Promise<Split[]> {
  const served = [...new Set(await api.splits(env))];
  const names = chosenSplits(served, options.splits);
  const counts = await Promise.all(names.map((name) => api.numTasks(env, name)));
  const splits: Split[] = [];
  for (const [at, name] of names.entries()) {
    const count = Math.min(counts[at] as number, options.limit);
    if (count > 0) splits.push({ name, count });
    else reporter.warn(`split '${name}' has no tasks: it is left out`);
  }
  if (splits.length === 0) throw new UserError('the server has no tasks', { fix: 'serve an environment with tasks' });
  return splits;
}

class ServerDiscovery implements OpenDiscovery {
  readonly action?: NonNullable<OpenDiscovery['action']>;
  private readonly api: TaskApi;
  private readonly known: Toolsets;
  private pages: AsyncGenerator<ListedTask[]> | undefined;
  /** Of the splits that were read: each waits behind pages of the next one. */
  private readonly checks: Promise<void>[] = [];
  private untold = false;
  private differed = false;
  private ended: Set<string> | undefined;

  constructor(
    private readonly connection: Connection,
    readonly envName: string,
    readonly splits: Split[],
    private readonly options: DiscoverOptions,
    private readonly reporter: Reporter,
  ) {
    this.api = connection.api;
    const { action } = connection.environment;
    if (action) this.action = action;
    const largest = splits.reduce((a, b) => (b.count > a.count ? b : a));
    const total = splits.reduce((sum, split) => sum + split.count, 0);
    this.known = new Toolsets(
      (task) => this.play(task),
      {
        near: (key, from) =>
          from === 'middle'
            ? this.nearby(largest, key, largest.count >> 1, 1)
            : this.nearby(largest, key, largest.count - 1, -1),
        after: (task) => this.nearby(this.split(task.split), task.key, task.index + 1, 1),
        every: (key) => this.every(key),
        // A split that holds all tasks of the others is as large as they are together.
        total: largest.count * 2 >= total ? largest.count : total,
      },
      { probes: options.probes, splits: splits.map(({ name }) => name) },
      reporter,
    );
  }

  toolsets() {
    return this.known.list;
  }

  counts() {
    const { sessions, http } = this.connection;
    return { sessions: sessions.opened, requests: http.requests, bytes: http.bytes };
  }

  tasks(split: Split): AsyncGenerator<Task[]> {
    this.pages ??= prefetch(this.listed(), 1);
    prepareSessions(); // while the server makes the first page
    return this.read(split, this.pages);
  }

  private async *read(split: Split, pages: AsyncGenerator<ListedTask[]>): AsyncGenerator<Task[]> {
    const seen = new FingerprintSet(split.count + 1);
    const ends: ListedTask[] = [];
    for (let left = split.count; left > 0; ) {
      const { value } = await pages.next();
      const listed: ListedTask[] = value ?? [];
      if (listed[0]?.split !== split.name) throw new Error(`split '${split.name}' is not the next one to read`);
      left -= listed.length;
      const page: Task[] = [];
      for (const task of listed) {
        if (!seen.add(fingerprint(task.id))) {
          throw new UserError(`task ${nameOf(task)}: its id comes twice in the split`, { fix: CHANGED });
        }
        const toolset = this.known.get(task) ?? (await this.known.of(task));
        page.push({ ...task, toolset });
      }
      if (ends.length === 0) ends.push(listed[0] as ListedTask);
      ends[1] = listed.at(-1) as ListedTask;
      this.reporter.progress(`${split.name}: ${formatCount(ends[1].index + 1)} of ${formatCount(split.count)} tasks`);
      yield page;
    }
    this.known.check();
    const unchanged = this.unchanged(split, ends);
    unchanged.catch(() => {}); // told where it is awaited
    this.checks.push(unchanged);
    if (split === this.splits.at(-1)) await Promise.all(this.checks);
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.pages?.return(undefined);
  }

  /** The tasks of all splits, in pages of one split each; what must be played for them is under way by the time they are read. */
  private async *listed(): AsyncGenerator<ListedTask[]> {
    for await (const { split, start, tasks } of pages(this.api, this.envName, this.splits)) {
      const listed = tasks.map((task, offset) => readDescriptor(task, split.name, start + offset));
      for (const task of listed) this.known.start(task);
      yield listed;
    }
  }

  private play(task: ListedTask) {
    this.reporter.progress(`playing ${nameOf(task)} to learn its tools`);
    const { sessions, environment, watch } = this.connection;
    return watch(
      sessions
        .use((session, seconds) => play(session, task, seconds, environment, this.options))
        .then((result) => {
          if (!result.told && !this.untold) {
            this.untold = true;
            this.reporter.warn(
              "the server doesn't say which task an episode plays (metadata.task), so that can't be checked",
            );
          }
          if (result.differs) this.warnOfPrompt(task, result.differs);
          if (result.scores) this.ended = new Set([...(this.ended ?? []), ...result.scores]);
          return result;
        }),
    );
  }

  private warnOfPrompt(task: ListedTask, which: string): void {
    if (this.differed) return;
    this.differed = true;
    this.reporter.warn(
      `task ${nameOf(task)}: the reset shows another ${which} than the task list, which rows have; ` +
        'serve one text for both, or write rows from resets with --tasks FILE',
    );
  }

  scores() {
    return this.ended;
  }

  /** The nearest tasks of a key, from an index on, in a direction. */
  private async *nearby(split: Split, key: string, from: number, step: 1 | -1): AsyncGenerator<ListedTask> {
    const start = Math.max(0, step > 0 ? from : from - NEAR_TASKS + 1);
    const stop = Math.min(split.count, step > 0 ? from + NEAR_TASKS : from + 1);
    if (start >= stop) return;
    // One task is what is needed, nearly always.
    const alone = step > 0 ? start : stop - 1;
    for (const [low, high] of [[alone, alone + 1], step > 0 ? [alone + 1, stop] : [start, alone]] as const) {
      if (low >= high) continue;
      const tasks = await this.api.taskRange(this.envName, split.name, low, high);
      const listed = tasks.map((task, offset) => readDescriptor(task, split.name, low + offset));
      yield* (step > 0 ? listed : listed.reverse()).filter((task) => task.key === key);
    }
  }

  /** The tasks of a key in all splits, of a server that has few. */
  private async *every(key: string): AsyncGenerator<ListedTask> {
    for (const { name, count } of this.splits) {
      const tasks = await this.api.taskRange(this.envName, name, 0, count);
      yield* tasks.map((task, index) => readDescriptor(task, name, index)).filter((task) => task.key === key);
    }
  }

  private split(name: string): Split {
    return this.splits.find((split) => split.name === name) as Split;
  }

  /** @throws UserError where the split is not what it was when its listing began */
  private async unchanged(split: Split, ends: ListedTask[]): Promise<void> {
    const count = Math.min(await this.api.numTasks(this.envName, split.name), this.options.limit);
    const changed: string[] = count === split.count ? [] : [`it had ${split.count} tasks, now ${count}`];
    const again = async ({ index }: ListedTask) => {
      const [found] = await this.api.taskRange(this.envName, split.name, index, index + 1);
      return found && readDescriptor(found, split.name, index);
    };
    const asked = changed.length > 0 ? [] : ends;
    const found = await Promise.all(asked.map(again));
    for (const [at, task] of asked.entries()) {
      const now = found[at];
      if (!now || identityOf(now) !== identityOf(task)) changed.push(`task ${nameOf(task)} is another one now`);
    }
    if (changed.length > 0) {
      throw new UserError(`split '${split.name}' changed while it was listed: ${changed.join('; ')}`, { fix: CHANGED });
    }
  }
}

const CHANGED = 'the server gave a list that can not be trusted: run gymgen again when its tasks no longer change';
