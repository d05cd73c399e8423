import { UserError } from '../errors.js';
import type { Connection } from './connection.js';
import type { GivenTask } from './given-tasks.js';
import { openEpisode, PlayFailed } from './play.js';
import { type PromptOptions, promptOf } from './prompt.js';
import { withoutFields } from './steady.js';
import type { Trial } from './trial.js';
import { readable } from './try-out.js';

/** A given task with the prompt that its row has. */
export type Prompted = Omit<GivenTask, 'prompt' | 'systemPrompt'> & { prompt: string; systemPrompt: string | null };

/** Episodes that are begun at once, within the server's capacity. */
const BATCH = 64;
/** Failures after which no more are looked for. */
const FAILURES = 3;

/** Finds the prompts of tasks that were given without: an episode of each is begun, for what it shows. */
export class Prompts {
  private readonly failures: string[] = [];

  /** Whether no two episodes of a task show the same, so that what one shows says nothing of the next. */
  private readonly unsteady: boolean;

  /** @param trial of these tasks */
  constructor(
    private readonly connection: Connection,
    private readonly options: PromptOptions,
    private readonly trial: Pick<Trial, 'prompt' | 'unsteady'>,
  ) {
    this.unsteady = trial.prompt === 'unsteady';
    if (this.unsteady && options.text === undefined) {
      throw new UserError('the prompt is to be what an episode shows, but no two episodes of a task show the same', {
        fix: 'say what the job is with --prompt TEXT, or give each task its prompt in --tasks FILE',
      });
    }
  }

  /** The first `count` tasks, in their order. @throws UserError naming the tasks whose episodes don't begin */
  async *of(tasks: AsyncIterable<GivenTask[]>, count: number): AsyncGenerator<Prompted[]> {
    let left = count;
    for await (const page of tasks) {
      for (let at = 0; at < page.length && left > 0; at += BATCH) {
        const batch = page.slice(at, at + Math.min(BATCH, left));
        left -= batch.length;
        const settled = await Promise.allSettled(batch.map((task) => this.prompted(task)));
        yield settled.flatMap((result) => this.counted(result));
      }
      if (left === 0) break;
    }
    if (this.failures.length > 0) throw this.refusal();
  }

  private async prompted(task: GivenTask): Promise<Prompted> {
    const { prompt = this.unsteady ? this.options.text : undefined, systemPrompt = null } = task;
    if (prompt !== undefined) return { ...task, prompt, systemPrompt };
    const { sessions, watch } = this.connection;
    const opened = await watch(sessions.use((session, seconds) => openEpisode(session, task, seconds)));
    const shown = promptOf(withoutFields(readable(task, opened), this.trial.unsteady), this.options);
    return { ...task, prompt: shown.prompt, systemPrompt: task.systemPrompt ?? shown.systemPrompt };
  }

  private counted(result: PromiseSettledResult<Prompted>): Prompted[] {
    if (result.status === 'fulfilled') return [result.value];
    if (!(result.reason instanceof PlayFailed)) throw result.reason;
    this.failures.push(result.reason.message);
    if (this.failures.length >= FAILURES) throw this.refusal();
    return [];
  }

  private refusal(): UserError {
    return new UserError('episodes could not be begun to see what they show', {
      details: this.failures,
      fix: "correct their arguments, or give these tasks a prompt of their own; the server's log may say more",
    });
  }
}
