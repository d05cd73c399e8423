import { UserError } from '../../errors.js';
import type { DiscoverySummary, Split, Task } from '../../model.js';
import type { Reporter } from '../../reporter.js';
import { type Connection, dockerFix, readEnvironmentName } from '../connection.js';
import type { ListedTask } from '../listing.js';
import type { DiscoverOptions, OpenDiscovery, ProvidedTasksRequest } from '../options.js';
import { ProbeFailed, probeTools } from '../probe/episode.js';
import { DEFAULT_PROMPT } from '../probe/prompt.js';
import { Toolsets } from '../probe/toolsets.js';
import { reportTrial, runTrial, TRIAL_TASKS } from '../probe/trial.js';
import { differentTasks, largestOf, type ProvidedTask, type ProvidedTasks, seedTasks } from './provided-tasks.js';
import { type PromptedTask, ResetPrompts } from './reset-prompts.js';
import { tasksFile } from './tasks-file.js';

/**
 * Discovers an environment with tasks that the user provides. The server need not list any.
 * @throws UserError if the tasks cannot be read, or if no episode starts
 */
export async function discoverProvided(
  connection: Connection,
  request: ProvidedTasksRequest,
  options: DiscoverOptions,
  reporter: Reporter,
): Promise<OpenDiscovery> {
  const areSeeds = 'episodes' in request;
  const provided = areSeeds ? seedTasks(request, options) : await tasksFile(request.file, options);
  const { prompt = DEFAULT_PROMPT, bounded = false, probes } = options;
  reporter.progress({ phase: 'step', what: 'probing some tasks to compare their episodes' });
  const tasks = await differentTasks(provided, Math.min(TRIAL_TASKS, probes));
  // The trial comes first: if the environment cannot be created, there is no name, but the reset reports the reason.
  const trial = await explainStart(runTrial(tasks, connection, { ...options, prompt }));
  const { name, hasTasks } = await readEnvironmentName(connection);
  const notes = reportTrial(trial, { varied: provided.varied, areSeeds, bounded, sums: !hasTasks }, reporter);
  // Seeds that change nothing are one task.
  if (areSeeds && trial.repeats && trial.varies === false) for (const split of provided.splits) split.count = 1;
  const facts = {
    envName: name,
    notes,
    ...(hasTasks ? {} : { rewardRule: 'sum' as const }),
    ...(trial.scores ? { trialScores: trial.scores } : {}),
  };
  return new ProvidedDiscovery(
    connection,
    provided,
    new ResetPrompts(connection, prompt, trial),
    facts,
    options,
    reporter,
  );
}

/** If no episode starts at all, the cause is the environment rather than a task. */
async function explainStart<T>(trial: Promise<T>): Promise<T> {
  return trial.catch((cause: unknown) => {
    if (!(cause instanceof ProbeFailed)) throw cause;
    throw new UserError(`could not start an episode: ${cause.message}`, {
      fix: dockerFix([cause.message]) ?? "see the server's log; pass arguments that the reset needs with --tasks FILE",
      cause,
    });
  });
}

/** All provided tasks are of one environment, so they are expected to have the same tools. */
const KEY = 'environment';

class ProvidedDiscovery implements OpenDiscovery {
  readonly envName: string;
  readonly splits: Split[];
  readonly provided = true;
  readonly notes: readonly string[];
  readonly rewardRule?: 'sum';
  readonly action?: NonNullable<OpenDiscovery['action']>;
  private readonly prober: Toolsets;

  constructor(
    private readonly connection: Connection,
    private readonly source: ProvidedTasks,
    private readonly prompts: ResetPrompts,
    facts: { envName: string; notes: readonly string[]; rewardRule?: 'sum'; trialScores?: ReadonlySet<string> },
    options: DiscoverOptions,
    private readonly reporter: Reporter,
  ) {
    this.envName = facts.envName;
    this.notes = facts.notes;
    if (facts.rewardRule) this.rewardRule = facts.rewardRule;
    const { environment, sessions, track } = connection;
    const { action, tool } = environment;
    if (action) this.action = action;
    this.splits = source.splits;
    const largest = largestOf(this.splits);
    this.prober = new Toolsets(
      async (task) =>
        tool
          ? { turns: [[tool]], identified: true }
          : track(sessions.use((session, seconds) => probeTools(session, task, seconds, environment, options))),
      {
        near: (_, from) => this.tasksFrom(largest, from === 'middle' ? largest.count >> 1 : largest.count - 1),
        after: (task) => this.tasksFrom(this.splitOf(task), task.index + 1),
        every: () => this.allTasks(),
        total: this.splits.reduce((sum, { count }) => sum + count, 0),
      },
      { probes: tool ? 1 : options.probes, splits: this.splits.map(({ name }) => name) },
      reporter,
      facts.trialScores,
    );
  }

  counts() {
    return this.connection.counts();
  }

  async *tasks(split: Split): AsyncGenerator<Task[]> {
    this.read(split, 0);
    for await (const batch of this.prompts.addTo(this.source.tasks(split.name), split.count)) {
      const page: Task[] = [];
      for (const task of batch) page.push(await this.addToolset(task));
      const read = (batch.at(-1)?.index ?? 0) + 1;
      this.read(split, read);
      yield page;
    }
    this.prober.assertAllProbed();
  }

  async finish(): Promise<DiscoverySummary> {
    return this.prober.summary();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private read({ name, count }: Split, done: number): void {
    this.reporter.progress({ phase: 'read', from: name, unit: 'tasks', done, total: count });
  }

  private async addToolset(task: PromptedTask): Promise<Task> {
    const listed = withoutPrompt(task);
    return { ...task, toolset: this.prober.known(listed) ?? (await this.prober.find(listed)) };
  }

  /** The tasks of a split from an index on. */
  private async *tasksFrom({ name, count }: Split, from: number): AsyncGenerator<ListedTask> {
    for await (const page of this.source.tasks(name)) {
      for (const task of page) if (task.index >= from && task.index < count) yield withoutPrompt(task);
      if ((page.at(-1)?.index ?? 0) >= count - 1) return;
    }
  }

  private splitOf({ split: name }: ListedTask): Split {
    return this.splits.find((split) => split.name === name) as Split;
  }

  private async *allTasks(): AsyncGenerator<ListedTask> {
    for (const split of this.splits) yield* this.tasksFrom(split, 0);
  }
}

/** A task for a probe of its tools, which do not depend on the prompt. */
function withoutPrompt({
  split,
  index,
  id,
  reset,
}: Pick<ProvidedTask, 'split' | 'index' | 'id' | 'reset'>): ListedTask {
  return { split, index, id, reset, prompt: '', systemPrompt: null, key: KEY, declared: false };
}
