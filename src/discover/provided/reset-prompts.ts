import { UserError } from '../../errors.js';
import type { Connection } from '../connection.js';
import { ProbeFailed, startEpisode } from '../probe/episode.js';
import { type PromptOptions, promptOf } from '../probe/prompt.js';
import { startOf } from '../probe/scripted-episode.js';
import type { Trial } from '../probe/trial.js';
import { withoutFields } from '../probe/volatile-fields.js';
import type { ProvidedTask } from './provided-tasks.js';

/** A provided task with the prompt of its row. */
export type PromptedTask = Omit<ProvidedTask, 'prompt' | 'systemPrompt'> & {
  prompt: string;
  systemPrompt: string | null;
};

/** Number of episodes that are started at a time, within the server's capacity. */
const BATCH = 64;
/** Number of failures that end the run. */
const MAX_FAILURES = 3;

/** Adds the prompts of tasks that are provided without one: an episode of each is started, and its reset shows the prompt. */
export class ResetPrompts {
  private readonly failures: string[] = [];
  /** Whether resets of one task show different prompts. */
  private readonly isVolatile: boolean;

  /** @param trial of these tasks */
  constructor(
    private readonly connection: Pick<Connection, 'sessions' | 'track'>,
    private readonly options: PromptOptions,
    private readonly trial: Pick<Trial, 'prompt' | 'volatileFields'>,
  ) {
    this.isVolatile = trial.prompt === 'volatile';
    if (this.isVolatile && options.text === undefined) {
      throw new UserError('the prompt of a task changes with each reset', {
        fix: 'describe the job with --prompt TEXT, or add a prompt to each task in --tasks FILE',
      });
    }
  }

  /** The first `count` tasks, in order. @throws UserError naming the tasks whose episodes do not start */
  async *addTo(tasks: AsyncIterable<ProvidedTask[]>, count: number): AsyncGenerator<PromptedTask[]> {
    let left = count;
    for await (const page of tasks) {
      for (let at = 0; at < page.length && left > 0; at += BATCH) {
        const batch = page.slice(at, at + Math.min(BATCH, left));
        left -= batch.length;
        const settled = await Promise.allSettled(batch.map((task) => this.addPrompt(task)));
        yield settled.flatMap((result) => this.countFailure(result));
      }
      if (left === 0) break;
    }
    if (this.failures.length > 0) throw this.failed();
  }

  private async addPrompt(task: ProvidedTask): Promise<PromptedTask> {
    const { prompt = this.isVolatile ? this.options.text : undefined, systemPrompt = null } = task;
    if (prompt !== undefined) return { ...task, prompt, systemPrompt };
    const { sessions, track } = this.connection;
    const answer = await track(sessions.use((session, seconds) => startEpisode(session, task, seconds)));
    const shown = promptOf(withoutFields(startOf(task, answer), this.trial.volatileFields), this.options);
    return { ...task, prompt: shown.prompt, systemPrompt: task.systemPrompt ?? shown.systemPrompt };
  }

  private countFailure(result: PromiseSettledResult<PromptedTask>): PromptedTask[] {
    if (result.status === 'fulfilled') return [result.value];
    if (!(result.reason instanceof ProbeFailed)) throw result.reason;
    this.failures.push(result.reason.message);
    if (this.failures.length >= MAX_FAILURES) throw this.failed();
    return [];
  }

  private failed(): UserError {
    return new UserError('could not start episodes to read their prompts', {
      details: this.failures,
      fix: "correct the tasks' reset arguments, or add a prompt to each task; see the server's log",
    });
  }
}
