import { stringify } from 'lossless-json';
import { UserError } from '../../errors.js';
import type { JsonText, Tool } from '../../model.js';
import { type Answer, RefusedError, type Session, SessionLost, scoreNames } from '../../openenv/index.js';
import { nameOf } from '../listing.js';
import { addFixedFields, type Environment } from './environment.js';
import { END_TURN, listTools, type ProbedTask, ProbeFailed, startEpisode } from './episode.js';
import { readStart, type Start } from './prompt.js';
import { minimalValue } from './schema-values.js';
import { withoutVolatile } from './volatile-fields.js';

/** The result of a scripted episode. */
export interface ScriptedEpisode<T extends ProbedTask = ProbedTask> {
  task: T;
  start: Start;
  /** The observations of the reset and of the first step, without volatile fields. */
  trace: string;
  /** The reward of each step; null for a step without one. */
  rewards: (number | null)[];
  done: boolean;
  /** What the first step showed. */
  firstStep?: Start;
  /** Names of the scores, if a step ended the episode. */
  scores?: ReadonlySet<string>;
  /** The first step, if the environment rejected it. */
  refused?: { action: JsonText; why: string };
}

export interface ScriptOptions {
  /** Maximum number of steps. */
  steps: number;
  /** Seconds per step. */
  toolTimeout: number;
}

/**
 * Runs an episode that repeats the simplest action. If no action is obvious, no step is taken.
 * @throws ProbeFailed if the reset fails
 */
export async function runScript<T extends ProbedTask>(
  session: Session,
  task: T,
  resetSeconds: number,
  environment: Environment,
  { steps, toolTimeout }: ScriptOptions,
): Promise<ScriptedEpisode<T>> {
  const start = startOf(task, await startEpisode(session, task, resetSeconds));
  const { tools } = await listTools(session, task, environment, toolTimeout);
  const action = simplestAction(tools);
  const answers: Answer[] = [];
  let refused: ScriptedEpisode['refused'];
  while (action && answers.length < steps && !answers.at(-1)?.done) {
    try {
      answers.push(await environment.call(session, action.tool, action.args, toolTimeout));
    } catch (error) {
      if (error instanceof SessionLost) break;
      if (!(error instanceof RefusedError)) throw error;
      if (NO_OBSERVATION.test(error.message)) throw stepsFail(error);
      if (answers.length === 0) {
        refused = { action: addFixedFields(action.args, environment.action?.fixed ?? {}), why: error.message };
      }
      break;
    }
  }
  const [first] = answers;
  const firstStep = first && readStart(first);
  const step = first && { ...firstStep, reward: first.reward, done: first.done };
  const done = answers.at(-1)?.done ?? false;
  return {
    task,
    start,
    trace: String(stringify(withoutVolatile([start, step ?? null]))),
    rewards: answers.map(({ reward }) => reward ?? null),
    done,
    ...(firstStep ? { firstStep } : {}),
    ...(done ? { scores: new Set(answers.flatMap(scoreNames)) } : {}),
    ...(refused ? { refused } : {}),
  };
}

/** The error of OpenEnv's server if a step returned something other than an Observation. No other action avoids it. */
const NO_OBSERVATION = /object has no attribute 'model_dump'/;

function stepsFail(cause: RefusedError): UserError {
  return new UserError(`every step fails: ${cause.message}`, {
    fix: 'correct the environment on the server: its step must return an Observation; see its log',
    cause,
  });
}

/** @throws ProbeFailed if the reset's observation cannot be read */
export function startOf(task: ProbedTask, answer: Answer): Start {
  try {
    return readStart(answer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProbeFailed(`${nameOf(task)}: the observation of its reset is nested too deeply`);
  }
}

/** A call of the first tool that has minimal arguments. */
function simplestAction(tools: readonly Tool[]): { tool: Tool; args: JsonText } | null {
  for (const tool of tools) {
    if (tool.name === END_TURN) continue;
    const found = minimalValue({ type: 'object', ...JSON.parse(tool.parameters) });
    if (found) return { tool, args: JSON.stringify(found.value) };
  }
  return null;
}
