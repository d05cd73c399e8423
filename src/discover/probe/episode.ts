import { UserError } from '../../errors.js';
import type { LazyString } from '../../json/json-string.js';
import { LIMITS, limitMessage } from '../../limits.js';
import type { JsonText, TaskRef, Tool } from '../../model.js';
import {
  type Answer,
  excerpt,
  failureOf,
  type Observation,
  RefusedError,
  type ReportedTask,
  reportedTask,
  type Session,
  SessionLost,
  scoreNames,
} from '../../openenv/index.js';
import { lastSegment, nameOf, shown } from '../listing.js';
import type { Environment } from './environment.js';

/** The tool that ends a turn in AgentEnv. */
export const END_TURN = 'end_turn';

export interface ProbeOptions {
  /** Seconds for listing tools. */
  toolTimeout: number;
  /** Seconds for each `end_turn`, which may deploy the next turn. */
  resetTimeout: number;
  /** `first`: later turns are not opened, and the task's verifier does not run. */
  turns: 'first' | 'all';
}

/** What a probe found out about a task. */
export interface ProbeResult {
  /** The tools of each turn. */
  turns: Tool[][];
  /** Whether the task of the episode is known: the server reports it, or the reset's arguments determine it. */
  identified: boolean;
  /** Names of the episode's scores, if the probe reached its end. */
  scores?: readonly string[];
  /** Which listed prompt differs from the reset. */
  differing?: 'prompt' | 'system prompt';
}

/** A task, with its listed prompts, if any. */
export type ProbedTask = TaskRef & { prompt?: LazyString; systemPrompt?: string | null };

/** The environment failed, or started another task. A probe of the next task may succeed. */
export class ProbeFailed extends UserError {
  override readonly name = 'ProbeFailed';
}

/**
 * Runs one episode without a model, to learn the tools of its turns: each turn is ended with an empty reply.
 * @param resetSeconds time limit of the reset
 * @throws ProbeFailed; ServerFull if the server has no free session; the signal's reason when it aborts
 */
export async function probeTools(
  session: Session,
  task: ProbedTask,
  resetSeconds: number,
  environment: Environment,
  options: ProbeOptions,
): Promise<ProbeResult> {
  const start = await startEpisode(session, task, resetSeconds);
  const reported = task.reset === undefined ? reportedTask(start) : null;
  if (reported) checkIdentity(task, reported);
  const facts = {
    identified: reported !== null || task.reset !== undefined,
    ...(task.reset === undefined ? differingPrompt(task, start) : {}),
  };
  const list = async () => (await listTools(session, task, environment, options.toolTimeout)).tools;
  const turns = [await list()];
  if (options.turns === 'first') return { ...facts, turns };
  while (turns.at(-1)?.some((tool) => tool.name === END_TURN)) {
    if (turns.length >= LIMITS.turns) throw new ProbeFailed(`${nameOf(task)}: ${limitMessage('turns')}`);
    const end = await endTurn(session, task, turns.length, options.resetTimeout);
    if (end.done) return { ...facts, turns, scores: scoreNames(end) };
    turns.push(await list());
  }
  return { ...facts, turns };
}

/** @throws ProbeFailed if the tools cannot be listed */
export async function listTools(session: Session, task: TaskRef, environment: Environment, seconds: number) {
  return attempt(task, 'could not list its tools', () => environment.tools(session, seconds));
}

async function endTurn(session: Session, task: TaskRef, turn: number, seconds: number): Promise<Answer> {
  const what = `turn ${turn} did not end`;
  const fix = 'skip the later turns with --probe-turns first';
  const end = await attempt(task, what, () => session.callTool(END_TURN, '{"response":""}', seconds), fix);
  const { error } = end.observation;
  if (error && !end.done) throw new ProbeFailed(`${nameOf(task)}: ${what}: ${shown(error, 300)}`, { fix });
  return end;
}

/** Rows have the listed prompt, so it should be the one that the reset shows. */
function differingPrompt({ prompt, systemPrompt }: ProbedTask, { metadata }: Observation) {
  const { prompt: actual, system_prompt: actualSystem } = metadata ?? {};
  if (typeof actual === 'string' && prompt !== undefined && actual !== String(prompt)) {
    return { differing: 'prompt' as const };
  }
  if (typeof actualSystem === 'string' && actualSystem !== (systemPrompt ?? '')) {
    return { differing: 'system prompt' as const };
  }
  return {};
}

/**
 * Resets to a task.
 * @param seconds time limit of the reset
 * @throws ProbeFailed if no episode starts
 */
export async function startEpisode(session: Session, task: TaskRef, seconds: number): Promise<Answer> {
  const start = await attempt(task, 'reset failed', () => session.reset(resetArguments(task), seconds));
  // Environments without tasks define this field themselves. If there is no error, it is null or "".
  const { error } = start.observation;
  if (task.reset !== undefined && error) {
    throw new ProbeFailed(`${nameOf(task)}: reset failed: ${shown(error, 400)}`);
  }
  if (start.done) throw new ProbeFailed(`${nameOf(task)}: the episode ended at the reset`);
  return start;
}

function resetArguments({ split, index, reset }: TaskRef): JsonText {
  return reset ?? JSON.stringify({ split, index });
}

/** Sends a request. @throws ProbeFailed with the server's message if it fails */
async function attempt<T extends Observation>(
  task: TaskRef,
  what: string,
  request: () => Promise<T>,
  fix?: string,
): Promise<T> {
  const failed = (why: string) => new ProbeFailed(`${nameOf(task)}: ${what}: ${why}`, fix === undefined ? {} : { fix });
  try {
    const observation = await request();
    const failure = failureOf(observation);
    if (failure === null) return observation;
    throw failed(excerpt(failure, 400));
  } catch (error) {
    if (error instanceof RefusedError || error instanceof SessionLost) throw failed(error.message);
    throw error;
  }
}

function checkIdentity(expected: TaskRef, actual: ReportedTask): void {
  const isOther =
    (actual.split != null && actual.split !== expected.split) ||
    (actual.index != null && actual.index !== expected.index) ||
    (actual.id != null && lastSegment(actual.id) !== lastSegment(expected.id));
  if (!isOther) return;
  const { split, index, id } = actual;
  const other = { split: split ?? expected.split, index: index ?? expected.index, id: id ?? expected.id };
  throw new ProbeFailed(`${nameOf(expected)}: the server started another task, ${nameOf(other)}`);
}
