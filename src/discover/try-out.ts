import { stringify } from 'lossless-json';
import { UserError } from '../errors.js';
import type { JsonText, Tool } from '../model.js';
import { type Answer, RefusedError, type Session, SessionLost, scoreNames } from '../openenv/index.js';
import { nameOf } from './descriptor.js';
import { type Environment, withFixed } from './environment.js';
import type { GivenTask } from './given-tasks.js';
import { attempt, END_TURN, openEpisode, PlayFailed } from './play.js';
import { type Start, startOf } from './prompt.js';
import { sample } from './sample.js';
import { steady } from './steady.js';

/** What a task's episode did when it was played by a script. */
export interface TryOut {
  task: GivenTask;
  start: Start;
  /** What was to be seen at the start and after the first step, but for what is never the same twice. */
  trace: string;
  /** Of each step that was taken; null where the environment gave none. */
  rewards: (number | null)[];
  done: boolean;
  /** What the first step showed. */
  shown?: Start;
  /** Names of the scores, if a step ended the episode. */
  scores?: ReadonlySet<string>;
  /** The first step, where it was refused. */
  refused?: { action: JsonText; why: string };
}

export interface TryOutOptions {
  /** Steps, at most. */
  steps: number;
  /** Seconds a step. */
  toolTimeout: number;
}

/**
 * Plays a task with the one action that says least, as often as asked for; with none where it is unclear what that is.
 * @throws PlayFailed where its reset fails
 */
export async function tryOut(
  session: Session,
  task: GivenTask,
  resetSeconds: number,
  environment: Environment,
  { steps, toolTimeout }: TryOutOptions,
): Promise<TryOut> {
  const opened = await openEpisode(session, task, resetSeconds);
  const start = readable(task, opened);
  const { tools } = await attempt(task, 'its tools could not be listed', () => environment.tools(session, toolTimeout));
  const move = leastMove(tools);
  const answers: Answer[] = [];
  let refused: TryOut['refused'];
  while (move && answers.length < steps && !answers.at(-1)?.done) {
    try {
      answers.push(await environment.call(session, move.tool, move.args, toolTimeout));
    } catch (error) {
      if (error instanceof SessionLost) break;
      if (!(error instanceof RefusedError)) throw error;
      if (NO_OBSERVATION.test(error.message)) throw neverAnswers(error);
      if (answers.length === 0) {
        refused = { action: withFixed(move.args, environment.action?.fixed ?? {}), why: error.message };
      }
      break;
    }
  }
  const [first] = answers;
  const shown = first && startOf(first);
  const step = first && { ...shown, reward: first.reward, done: first.done };
  const done = answers.at(-1)?.done ?? false;
  return {
    task,
    start,
    trace: String(stringify(steady([start, step ?? null]))),
    rewards: answers.map(({ reward }) => reward ?? null),
    done,
    ...(shown ? { shown } : {}),
    ...(done ? { scores: new Set(answers.flatMap(scoreNames)) } : {}),
    ...(refused ? { refused } : {}),
  };
}

/** What OpenEnv's server says where a step returned something that it can't send, which no other action mends. */
const NO_OBSERVATION = /object has no attribute 'model_dump'/;

function neverAnswers(cause: RefusedError): UserError {
  return new UserError(`no step can be taken: ${cause.message}`, {
    fix: "mend the environment on the server: its step must return an Observation; see the server's log",
    cause,
  });
}

/** @throws PlayFailed where it can't be read */
export function readable(task: GivenTask, answer: Answer): Start {
  try {
    return startOf(answer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PlayFailed(`${nameOf(task)}: what its reset shows is nested too deep`);
  }
}

/** The first tool that can be called with next to nothing. */
function leastMove(tools: readonly Tool[]): { tool: Tool; args: JsonText } | null {
  for (const tool of tools) {
    if (tool.name === END_TURN) continue;
    const found = sample({ type: 'object', ...JSON.parse(tool.parameters) });
    if (found) return { tool, args: JSON.stringify(found.value) };
  }
  return null;
}
