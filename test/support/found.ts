import { discoverAll } from './discovered.js';
import { failureOf } from './failure-of.js';
import type { Script, ServedSession } from './served-session.js';
import type { ServedTask, ServedTool } from './served-tasks.js';
import { StandIn, type StandInOptions } from './stand-in.js';

/** Starts a server and discovers it completely. */
export async function found(options: StandInOptions, changes = {}) {
  const server = await StandIn.start(options);
  return { server, ...(await discoverAll(server.url, changes)) };
}

/** Starts a server and returns the error of its discovery. */
export async function failureFrom(options: StandInOptions, changes = {}) {
  const server = await StandIn.start(options);
  return { failure: await failureOf(discoverAll(server.url, changes)), server };
}

/** Turns of a task, from the number in its name, such as `day-7`. */
export const byNumber = (turns: (number: number) => ServedTool[][]) => (task: ServedTask) =>
  turns(Number(/\d+$/.exec(String(task.name))));

/** Answers resets by the task's index; `undefined` means the response of the episode. */
export const onReset =
  (script: (index: number, session: ServedSession) => unknown): Script =>
  ({ type, data }, session) =>
    type === 'reset' ? script(data.index ?? 0, session) : undefined;
