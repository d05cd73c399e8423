import { formatCount } from '../display-text.js';
import { UserError } from '../errors.js';
import type { Split, Task, Toolset } from '../model.js';
import type { Connection } from './connection.js';
import type { ListedTask } from './descriptor.js';
import { dockerFix } from './docker.js';
import { environmentName } from './environment-name.js';
import { episodes } from './episodes.js';
import { tellTrial } from './findings.js';
import type { GivenTask, GivenTasks } from './given-tasks.js';
import type { DiscoverOptions, GivenRequest, OpenDiscovery } from './options.js';
import { PlayFailed, play } from './play.js';
import { FOUND_PROMPT } from './prompt.js';
import { type Prompted, Prompts } from './prompts.js';
import type { Reporter } from './reporter.js';
import { tasksFile } from './tasks-file.js';
import { Toolsets } from './toolsets.js';
import { trial } from './trial.js';

/**
 * Tasks that the user gives, for a server that need not know of tasks.
 * @throws UserError where they can't be read, or no episode begins
 */
export async function openGiven(
  connection: Connection,
  request: GivenRequest,
  options: DiscoverOptions,
  reporter: Reporter,
): Promise<OpenDiscovery> {
  const madeUp = 'episodes' in request;
  const given = madeUp ? episodes(request, options) : await tasksFile(request.file, options);
  const { prompt = FOUND_PROMPT, bounded = false } = options;
  reporter.progress('playing some episodes, to see what their arguments change');
  // Before its name: an environment that can't be made has none, and says why when an episode is to begin.
  const found = await begun(trial(given, connection, { ...options, prompt }));
  const { name, hasTasks } = await environmentName(connection);
  const notes = tellTrial(found, { varied: given.varied, madeUp, bounded, sums: !hasTasks }, reporter);
  // One task is one row.
  if (madeUp && found.repeats && found.varies === false) for (const split of given.splits) split.count = 1;
  const prompts = new Prompts(connection, prompt, found);
  const said = {
    envName: name,
    notes,
    ...(hasTasks ? {} : { rewardRule: 'sum' as const }),
    ...(found.scores ? { ended: found.scores } : {}),
  };
  return new GivenDiscovery(connection, given, prompts, said, options, reporter);
}

/** Where no episode begins at all, it is not a task that is wrong: the server's words are what helps. */
async function begun<T>(playing: Promise<T>): Promise<T> {
  return playing.catch((cause: unknown) => {
    if (!(cause instanceof PlayFailed)) throw cause;
    throw new UserError(`no episode begins: ${cause.message}`, {
      fix:
        dockerFix([cause.message]) ??
        "look at the server's log; arguments that its reset needs are given with --tasks FILE",
      cause,
    });
  });
}

/** All given tasks are of one environment, so that they are expected to have the same tools. */
const KEY = 'environment';

class GivenDiscovery implements OpenDiscovery {
  readonly envName: string;
  readonly splits: Split[];
  readonly provided = true;
  readonly notes: readonly string[];
  readonly rewardRule?: 'sum';
  readonly action?: NonNullable<OpenDiscovery['action']>;
  private readonly known: Toolsets;
  private ended: ReadonlySet<string> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly source: GivenTasks,
    private readonly prompts: Prompts,
    said: Pick<OpenDiscovery, 'envName' | 'notes' | 'rewardRule'> & { ended?: ReadonlySet<string> },
    options: DiscoverOptions,
    private readonly reporter: Reporter,
  ) {
    this.envName = said.envName;
    this.notes = said.notes ?? [];
    if (said.rewardRule) this.rewardRule = said.rewardRule;
    this.ended = said.ended;
    const { environment, sessions } = connection;
    if (environment.action) this.action = environment.action;
    this.splits = source.splits;
    const largest = this.splits.reduce((a, b) => (b.count > a.count ? b : a));
    const { tool } = environment;
    this.known = new Toolsets(
      async (task) => {
        if (tool) return { turns: [[tool]], told: true };
        const result = await connection.watch(
          sessions.use((session, seconds) => play(session, task, seconds, environment, options)),
        );
        if (result.scores) this.ended = new Set([...(this.ended ?? []), ...result.scores]);
        return result;
      },
      {
        near: (_, from) => this.listed(largest, from === 'middle' ? largest.count >> 1 : largest.count - 1),
        after: (task) => this.listed(this.split(task.split), task.index + 1),
        every: () => this.every(),
        total: this.splits.reduce((sum, { count }) => sum + count, 0),
      },
      { probes: tool ? 1 : options.probes, splits: this.splits.map(({ name }) => name) },
      reporter,
    );
  }

  toolsets(): Toolset[] {
    return this.known.list;
  }

  scores() {
    return this.ended;
  }

  counts() {
    const { sessions, http } = this.connection;
    return { sessions: sessions.opened, requests: http.requests, bytes: http.bytes };
  }

  async *tasks(split: Split): AsyncGenerator<Task[]> {
    for await (const batch of this.prompts.of(this.source.tasks(split.name), split.count)) {
      const page: Task[] = [];
      for (const task of batch) page.push(await this.task(task));
      const read = (batch.at(-1)?.index ?? 0) + 1;
      this.reporter.progress(`${split.name}: ${formatCount(read)} of ${formatCount(split.count)} tasks`);
      yield page;
    }
    this.known.check();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async task(task: Prompted): Promise<Task> {
    const listed = withoutPrompt(task);
    return { ...task, toolset: this.known.get(listed) ?? (await this.known.of(listed)) };
  }

  /** A split's tasks from an index on. */
  private async *listed({ name, count }: Split, from: number): AsyncGenerator<ListedTask> {
    for await (const page of this.source.tasks(name)) {
      for (const task of page) if (task.index >= from && task.index < count) yield withoutPrompt(task);
      if ((page.at(-1)?.index ?? 0) >= count - 1) return;
    }
  }

  private split(name: string): Split {
    return this.splits.find((split) => split.name === name) as Split;
  }

  private async *every(): AsyncGenerator<ListedTask> {
    for (const split of this.splits) yield* this.listed(split, 0);
  }
}

/** A task as its tools are looked for: its prompt, which may have to be found, is nothing that these depend on. */
function withoutPrompt({ split, index, id, reset }: Pick<GivenTask, 'split' | 'index' | 'id' | 'reset'>): ListedTask {
  return { split, index, id, reset, prompt: '', systemPrompt: null, key: KEY, declared: false };
}
