import { UserError } from '../errors.js';
import { LIMITS, limitMessage } from '../limits.js';
import {
  type Answer,
  excerpt,
  failureOf,
  type Observation,
  type PlayedTask,
  playedTask,
  RefusedError,
  type Session,
  SessionLost,
  scoreNames,
} from '../openenv/index.js';
import { lastSegment, nameOf, shown } from './descriptor.js';
import type { Environment } from './environment.js';
import type { JsonText, RawText, TaskRef, Tool } from './types.js';

/** The tool by which AgentEnv's turns end. */
export const END_TURN = 'end_turn';

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
  /** Whether it is known which task was played: the server says it, or the reset's arguments make it. */
  told: boolean;
  /** Names of the episode's scores, if it was played to its end. */
  scores?: readonly string[];
  /** Which of the listed prompts the reset showed differently. */
  differs?: 'prompt' | 'system prompt';
}

/** A task, with its listed prompts if it has some. */
export type Probed = TaskRef & { prompt?: string | RawText; systemPrompt?: string | null };

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
  task: Probed,
  resetSeconds: number,
  environment: Environment,
  options: PlayOptions,
): Promise<Played> {
  const opened = await openEpisode(session, task, resetSeconds);
  const played = task.reset === undefined ? playedTask(opened) : null;
  if (played) checkIdentity(task, played);
  const told = played !== null || task.reset !== undefined;
  const differs = task.reset === undefined ? differingPrompt(task, opened) : {};

  const list = () =>
    attempt(task, 'its tools could not be listed', () => environment.tools(session, options.toolTimeout)).then(
      ({ tools }) => tools,
    );
  const turns = [await list()];
  if (options.turns === 'first') return { turns, told, ...differs };
  let scores: string[] | undefined;
  while (turns.at(-1)?.some((tool) => tool.name === END_TURN)) {
    if (turns.length >= LIMITS.turns) throw new PlayFailed(`${nameOf(task)}: ${limitMessage('turns')}`);
    const what = `its turn ${turns.length} did not end`;
    const ended = await attempt(task, what, () => session.callTool(END_TURN, '{"response":""}', options.resetTimeout));
    if (ended.done) {
      scores = scoreNames(ended);
      break;
    }
    const refused = ended.observation.error;
    if (refused) throw unended(task, `${what}: ${shown(refused, 300)}`);
    turns.push(await list());
  }
  return { turns, told, ...differs, ...(scores ? { scores } : {}) };
}

/** What the row trains on is the listed prompt, so it should be the one that the reset shows. */
function differingPrompt({ prompt, systemPrompt }: Probed, { metadata }: Observation): Pick<Played, 'differs'> {
  const { prompt: shown, system_prompt: shownSystem } = metadata ?? {};
  if (typeof shown === 'string' && prompt !== undefined && shown !== String(prompt)) return { differs: 'prompt' };
  if (typeof shownSystem === 'string' && shownSystem !== (systemPrompt ?? '')) return { differs: 'system prompt' };
  return {};
}

/**
 * Resets to a task.
 * @param seconds limit of the reset
 * @throws PlayFailed where no episode has begun by that
 */
export async function openEpisode(session: Session, task: TaskRef, seconds: number): Promise<Answer> {
  const opened = await attempt(task, 'its reset failed', () => session.reset(resetArguments(task), seconds));
  // What an environment without tasks puts there is its own: an error that isn't one is null or "".
  const { error } = opened.observation;
  if (task.reset !== undefined && error)
    throw new PlayFailed(`${nameOf(task)}: its reset failed: ${shown(error, 400)}`);
  if (opened.done) throw new PlayFailed(`${nameOf(task)}: its episode ended at the reset`);
  return opened;
}

function resetArguments({ split, index, reset }: TaskRef): JsonText {
  return reset ?? JSON.stringify({ split, index });
}

/** A request that the environment may fail; what it failed with is the server's own words. */
export async function attempt<T extends Observation>(
  task: TaskRef,
  what: string,
  request: () => Promise<T>,
): Promise<T> {
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
