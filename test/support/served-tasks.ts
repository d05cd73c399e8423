import type { Answer, Asked, StandIn } from './stand-in.js';

/** A task's descriptor. A server may send any value. */
export type ServedTask = Record<string, unknown>;

/** A tool of a frame; a string is the tool's JSON text. */
export type ServedTool = object | string;

export function tool(name: string, input_schema: unknown = { type: 'object', properties: {} }): ServedTool {
  return { name, description: `Runs ${name}.`, input_schema };
}

export const TOOLS = [tool('submit_schedule'), tool('end_turn')];

/** The task of a day, as AgentEnv describes one. */
export function day(number: number, changes: ServedTask = {}): ServedTask {
  const name = `day-${number}`;
  const id = `@local/srv/envs/grid-v1/${name}`;
  return { id, name, prompt: `Day ${number}.`, system_prompt: 'Run a battery.', agent: 'solver', ...changes };
}

export function days(count: number, changes: (number: number) => ServedTask = () => ({})): ServedTask[] {
  return Array.from({ length: count }, (_, number) => day(number, changes(number)));
}

const NO_TASK: Answer = { status: 400, body: { detail: 'Invalid task index' } };

/** The Task API of openenv 0.10.0, with the error messages of its own server. */
export function taskApi({ name, splits }: StandIn, { method, path, body }: Asked): Answer {
  const route = `${method} ${path}`;
  if (route === 'GET /health') return { body: { status: 'healthy' } };
  if (route === 'GET /list_environments') return { body: [name] };
  const base = `/${encodeURIComponent(name)}`;
  if (route === `GET ${base}/splits`) {
    return { body: Object.keys(splits).map((split) => ({ name: split, type: 'train' })) };
  }
  const { split, start, stop } = (body ?? {}) as { split: string; start: number; stop: number };
  const tasks = splits[split];
  if (route === `POST ${base}/num_tasks`) return tasks ? { body: { num_tasks: tasks.length } } : NO_TASK;
  if (route === `POST ${base}/task_range`) {
    if (!tasks) return NO_TASK;
    const range = tasks.slice(start, stop).map((task, offset) => ({ index: start + offset, ...task }));
    return { body: { tasks: range } };
  }
  return { status: 404, body: { detail: 'Not Found' } };
}
