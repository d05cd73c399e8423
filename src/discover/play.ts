import { UserError } from '../errors.js';
import {
  excerpt,
  failureOf,
  type Observation,
  type PlayedTask,
  playedTask,
  RefusedError,
  type Session,
  SessionLost,
} from '../openenv/index.js';
import { lastSegment, nameOf, shown } from './descriptor.js';
import type { TaskRef, Tool } from './types.js';

/** The tool by which AgentEnv's turns end. */
export const END_TURN = 'end_turn';

/** More turns than any task has: what keeps a server that never ends an episode from keeping us. */
const MAX_TURNS = 100;

export interface PlayOptions {
  /** Seconds for listing tools. */
  toolTimeout: number;
  /** Seconds for each `end_turn`, which may deploy the next turn. */
  resetTimeout: number;
  /** `first`: the later turns are not opened, and the task's verifier doesn't run. */
  turns: 'first' | 'all';
}

export interface Played {
  turns: Tool[][];
  /** Whether the server says which task it played. */
  told: boolean;
}

/** An episode that the environment failed, or that played another task than asked: the next task may do better. */
export class PlayFailed extends UserError {
  override readonly name = 'PlayFailed';
}

/**
 * Plays one task without a model, to learn the tools of its turns: each turn is ended with an empty reply.
 * @param resetSeconds limit of the reset
 * @throws PlayFailed, or ServerFull where there is no session for it; the signal's reason when it aborts
 */
export async function play(
  session: Session,
  task: TaskRef,
  resetSeconds: number,
  options: PlayOptions,
): Promise<Played> {
  const { split, index } = task;
  const opened = await attempt(task, 'its reset failed', () => session.reset({ split, index }, resetSeconds));
  if (opened.done) throw new PlayFailed(`${nameOf(task)}: its episode ended at the reset`);
  const told = playedTask(opened);
  if (told) checkIdentity(task, told);

  const list = () =>
    attempt(task, 'its tools could not be listed', () => session.listTools(options.toolTimeout)).then(
      ({ tools }) => tools,
    );
  const turns = [await list()];
  if (options.turns === 'first') return { turns, told: told !== null };
  while (turns.at(-1)?.some((tool) => tool.name === END_TURN)) {
    if (turns.length > MAX_TURNS) throw new PlayFailed(`${nameOf(task)}: it has more than ${MAX_TURNS} turns`);
    const what = `its turn ${turns.length} did not end`;
    const ended = await attempt(task, what, () => session.callTool(END_TURN, { response: '' }, options.resetTimeout));
    if (ended.done) break;
    const refused = ended.observation.error;
    if (refused) throw unended(task, `${what}: ${shown(refused, 300)}`);
    turns.push(await list());
  }
  return { turns, told: told !== null };
}

/** A request that the environment may fail; what it failed with is the server's own words. */
async function attempt<T extends Observation>(task: TaskRef, what: string, request: () => Promise<T>): Promise<T> {
  try {
    const observation = await request();
    const failure = failureOf(observation);
    if (failure === null) return observation;
    throw unended(task, `${what}: ${excerpt(failure, 400)}`);
  } catch (error) {
    if (error instanceof RefusedError || error instanceof SessionLost) throw unended(task, `${what}: ${error.message}`);
    throw error;
  }
}

function unended(task: TaskRef, what: string): PlayFailed {
  const fix = what.startsWith('its turn') ? { fix: 'leave the later turns out with --probe-turns first' } : {};
  return new PlayFailed(`${nameOf(task)}: ${what}`, fix);
}

function checkIdentity(asked: TaskRef, played: PlayedTask): void {
  const wrong =
    (played.split != null && played.split !== asked.split) ||
    (played.index != null && played.index !== asked.index) ||
    (played.id != null && lastSegment(played.id) !== lastSegment(asked.id));
  if (!wrong) return;
  const { split, index, id } = played;
  const other = { split: split ?? asked.split, index: index ?? asked.index, id: id ?? asked.id };
  throw new PlayFailed(`${nameOf(asked)}: the server played another task, ${nameOf(other)}`);
}
