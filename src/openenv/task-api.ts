import { z } from 'zod';
import { UserError } from '../errors.js';
import { firstIssue } from '../json/guards.js';
import { parseJson } from '../json/json-string.js';
import { LIMITS, limitMessage } from '../limits.js';
import type { HttpClient } from './http.js';
import { HttpStatusError } from './http-answer.js';

/**
 * A task as the server describes it. AgentEnv's fields are id, name, index, prompt, system_prompt and agent; other servers may
 * have any fields.
 * `parseJson` leaves its long strings raw.
 */
export type TaskDescriptor = Record<string, unknown>;

const Environments = z.array(z.string().min(1)).max(1000);
const Splits = z
  .array(z.object({ name: z.string().min(1, 'a split has an empty name') }))
  .max(LIMITS.splits, limitMessage('splits'));
const Count = z.object({ num_tasks: z.number().int().nonnegative() });
/** One check for the whole list: a schema for each task took 20 ms of a small write. */
const Tasks = z.object({
  tasks: z.custom<TaskDescriptor[]>(
    (tasks) => Array.isArray(tasks) && tasks.every((task) => typeof task === 'object' && task !== null),
    'not a list of objects',
  ),
});

/** The tasks of one response. */
export interface TaskPage {
  tasks: TaskDescriptor[];
  /** Size of the response in bytes. */
  bytes: number;
}

/** The server cannot list tasks: the environment lacks the methods, or the server lacks the routes. */
export class NoTaskApi extends UserError {
  override readonly name = 'NoTaskApi';
}

/** The Task API of openenv 0.10.0. None of its requests starts an episode. */
export class TaskApi {
  constructor(
    private readonly http: HttpClient,
    private readonly base: string,
  ) {}

  /** The names of the environments that the server serves. */
  async environments(): Promise<string[]> {
    return this.ask('GET', '/list_environments', undefined, Environments);
  }

  async splits(env: string): Promise<string[]> {
    const splits = await this.ask('GET', `/${encodeURIComponent(env)}/splits`, undefined, Splits);
    return splits.map((split) => split.name);
  }

  async numTasks(env: string, split: string): Promise<number> {
    return (await this.ask('POST', `/${encodeURIComponent(env)}/num_tasks`, { split }, Count)).num_tasks;
  }

  /** The tasks from `start` to `stop`, exclusive. */
  async taskRange(env: string, split: string, start: number, stop: number): Promise<TaskDescriptor[]> {
    return (await this.taskPage(env, split, start, stop)).tasks;
  }

  /** The same, with the size of the response. */
  async taskPage(env: string, split: string, start: number, stop: number): Promise<TaskPage> {
    const path = `/${encodeURIComponent(env)}/task_range`;
    const answer = await this.http.ask('POST', path, { split, start, stop });
    const { tasks } = this.check(Tasks, answer.read(parseJson), path);
    return { tasks, bytes: answer.data.length };
  }

  private async ask<T>(method: 'GET' | 'POST', path: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
    try {
      const { value } = await this.http.json(method, path, body);
      return this.check(schema, value, path);
    } catch (error) {
      // 501: the environment lacks the method; 404: an older openenv, or an environment that is not OpenEnv's.
      if (error instanceof HttpStatusError && (error.status === 501 || error.status === 404)) {
        throw new NoTaskApi(`the server has no Task API (${error.status}), so its tasks are unknown`, {
          where: `${method} ${this.base}${path}`,
          fix: 'provide tasks: --episodes N for N seeds, or --tasks FILE (.jsonl, .csv, .json) with the arguments of each reset',
        });
      }
      throw error;
    }
  }

  private check<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new UserError(`invalid response from the server: ${firstIssue(parsed.error)}`, {
      where: this.base + path,
      fix: "check that it is an OpenEnv server, and look at the server's log",
    });
  }
}
