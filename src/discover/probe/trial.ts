import { excerpt } from '../../openenv/index.js';
import type { Reporter } from '../../reporter.js';
import type { Connection } from '../connection.js';
import type { ProbedTask } from './episode.js';
import { doubtfulFields } from './observation-text.js';
import { type Prompt, type PromptOptions, promptOf } from './prompt.js';
import { runScript, type ScriptedEpisode } from './scripted-episode.js';
import { volatileFields, withoutFields, withoutVolatile } from './volatile-fields.js';

export interface TrialOptions {
  prompt: PromptOptions;
  /** Maximum number of probed tasks, and of repeated probes. */
  probes: number;
  /** Seconds per step. */
  toolTimeout: number;
}

/** What a few scripted episodes show of an environment. */
export interface Trial {
  /** Number of episodes with different arguments. */
  tried: number;
  /** Whether other arguments give other episodes; null if there is one task only. */
  varies: boolean | null;
  /** Whether the same arguments give the same episode. */
  repeats: boolean;
  /**
   * Prompt of the first task: the one that its episode shows; `own` if the task provides one; `volatile` if it differs between
   * episodes.
   */
  prompt: Prompt | 'own' | 'volatile';
  /** Names of fields that change with each episode, such as its id, and are left out of prompts. */
  volatileFields: ReadonlySet<string>;
  /** Rewards of the longest episode. */
  rewards: (number | null)[];
  /** Whether the longest episode ended. */
  done: boolean;
  /** Names of the scores of the first episode, if a step ended it. */
  scores?: ReadonlySet<string>;
  /** Fields that may give the answer away, and where they are shown. */
  doubtful: readonly { name: string; start: boolean; steps: boolean }[];
  /** The first step of the first task, if the environment rejected it. */
  refused?: NonNullable<ScriptedEpisode['refused']>;
}

/** Tasks to compare. Two equal episodes may be a coincidence; eight are not. */
export const TRIAL_TASKS = 8;
/** Tasks whose episodes are repeated. */
const REPEATED_TASKS = 3;
/**
 * Number of repeated episodes. An environment that draws one of two starts, as chess does with colors, then looks
 * reproducible in about 1 of 500 runs.
 */
const REPEATS = 10;
/** Maximum number of steps of an episode. */
const STEPS = 20;

/**
 * Tests whether the arguments of a reset determine the episode. Probes the first task twice and the others once, each in its own
 * session, because an episode may affect the next one in its session. If the two episodes of the first task are equal, the
 * first tasks are probed a few more times.
 * @param tasks with different arguments
 * @throws ProbeFailed if a reset fails
 */
export async function runTrial(
  tasks: readonly [ProbedTask, ...ProbedTask[]],
  { environment, sessions, track }: Pick<Connection, 'environment' | 'sessions' | 'track'>,
  { prompt, probes, toolTimeout }: TrialOptions,
): Promise<Trial> {
  const [firstTask, ...others] = tasks;
  const run = (task: ProbedTask, steps = 1) =>
    track(sessions.use((session, seconds) => runScript(session, task, seconds, environment, { steps, toolTimeout })));

  const [first, again, last] = await Promise.all([
    run(firstTask, STEPS),
    run(firstTask),
    ...others.slice(-1).map((task) => run(task)),
  ]);
  // If the last task differs from the first, nothing is left to find out.
  const rest = last?.trace === first.trace ? await Promise.all(others.slice(0, -1).map((task) => run(task))) : [];
  const compared = [first, ...(last ? [last] : []), ...rest];
  const repeated = first.trace === again.trace ? repeat(tasks.slice(0, REPEATED_TASKS), Math.min(REPEATS, probes)) : [];
  const pairs = pairByTask([...compared, again, ...(await Promise.all(repeated.map((task) => run(task))))]);
  const changing = new Set(pairs.flatMap(([a, b]) => [...volatileFields(a.start, b.start)]));
  return {
    tried: compared.length,
    varies: last ? compared.some(({ trace }) => trace !== first.trace) : null,
    repeats: pairs.every(([a, b]) => a.trace === b.trace),
    prompt: commonPrompt(first, pairs, changing, prompt),
    volatileFields: changing,
    rewards: first.rewards,
    done: first.done,
    ...(first.scores ? { scores: first.scores } : {}),
    doubtful: doubtfulIn(first),
    ...(first.refused ? { refused: first.refused } : {}),
  };
}

/** Cycles through the tasks to get `count` of them. */
function repeat(tasks: readonly ProbedTask[], count: number): ProbedTask[] {
  return Array.from({ length: count }, (_, at) => tasks[at % tasks.length] as ProbedTask);
}

/** Each episode with the first episode of the same task. */
function pairByTask(episodes: readonly ScriptedEpisode[]): [ScriptedEpisode, ScriptedEpisode][] {
  return episodes.flatMap((other, at): [ScriptedEpisode, ScriptedEpisode][] => {
    const first = episodes.findIndex(({ task }) => task === other.task);
    return first < at ? [[episodes[first] as ScriptedEpisode, other]] : [];
  });
}

function commonPrompt(
  first: ScriptedEpisode,
  pairs: readonly [ScriptedEpisode, ScriptedEpisode][],
  changing: ReadonlySet<string>,
  options: PromptOptions,
): Trial['prompt'] {
  if (first.task.prompt !== undefined) return 'own';
  const promptIn = ({ start }: ScriptedEpisode) => promptOf(withoutFields(start, changing), options);
  const isSame = pairs.every(([a, b]) => withoutVolatile(promptIn(a).prompt) === withoutVolatile(promptIn(b).prompt));
  return isSame ? promptIn(first) : 'volatile';
}

/** Fields that may give the answer away, in the observation of the reset and in that of the first step. */
function doubtfulIn({ start, firstStep }: ScriptedEpisode): Trial['doubtful'] {
  const [atStart, later] = [doubtfulFields(start.observation), doubtfulFields(firstStep?.observation)];
  return [...new Set([...atStart, ...later])].map((name) => ({
    name,
    start: atStart.has(name),
    steps: later.has(name),
  }));
}

export interface TrialContext {
  /** What differs between the tasks, in the plural. */
  varied: string;
  /** Whether the tasks are seeds. If seeds change nothing, one row is enough. */
  areSeeds: boolean;
  /** Whether the user limits the number of model calls. */
  bounded: boolean;
  /** Whether a step without a reward counts as 0. */
  sums: boolean;
}

/**
 * Reports what a trial means for the rows: as warnings if the user may have to act.
 * @returns notes for the summary
 */
export function reportTrial(trial: Trial, context: TrialContext, reporter: Reporter): string[] {
  for (const warning of warnings(trial, context)) reporter.warn(warning);
  const notes: string[] = [];
  if (trial.repeats && trial.varies) {
    notes.push(`episodes depend on the ${context.varied} and are reproducible (${trial.tried} tried)`);
  }
  if (typeof trial.prompt === 'object') notes.push(`prompt: ${trial.prompt.from ?? 'the observation'}`);
  if (trial.prompt === 'volatile') notes.push('prompt: the text of --prompt, without the observation');
  return notes;
}

function* warnings(trial: Trial, { varied, areSeeds, bounded, sums }: TrialContext): Generator<string> {
  const { tried, varies, repeats, rewards, done, prompt, refused, doubtful } = trial;
  if (!repeats) yield `two sessions with the same ${varied} differ: episodes are not reproducible`;
  else if (varies === false) {
    const equal = `${tried} sessions with different ${varied} are equal`;
    yield areSeeds
      ? `${equal}, so one row is written; if the reset takes other arguments, pass them with --tasks FILE`
      : `${equal}: check that the reset takes these arguments`;
  }
  if (prompt === 'volatile') yield 'prompts omit the observation of the reset, because it changes with each reset';
  if (typeof prompt === 'object' && prompt.from === null) {
    yield 'no field of the reset describes the job, so the prompt is the observation only: ' +
      'describe the job with --prompt TEXT, or choose what is shown with --prompt-field NAME';
  }
  for (const { name, start, steps } of doubtful) yield doubtfulField(name, start, steps, typeof prompt === 'object');
  if (refused) {
    yield `the first scripted step, ${excerpt(refused.action)}, was rejected: ${refused.why}; ` +
      'other actions may succeed, or all may fail';
  }
  const steps = `${rewards.length} scripted ${rewards.length === 1 ? 'step' : 'steps'}`;
  if (sums && rewards.length > 0 && rewards.every((reward) => reward === null)) {
    yield `${steps} gave no reward, which counts as 0: check when the environment gives rewards`;
  }
  if (rewards.length > 1 && !done && !bounded) {
    yield `${steps} did not end the episode; if no step does, a rollout ends with the model's first message without a ` +
      'tool call: limit the calls with --max-steps N';
  }
}

/** @param hasShownPrompt whether prompts are what resets show */
function doubtfulField(name: string, start: boolean, steps: boolean, hasShownPrompt: boolean): string {
  const places = [...(start ? ['the reset'] : []), ...(steps ? ['a step'] : [])].join(' and ');
  const hide = start && hasShownPrompt ? 'choose what the prompt shows with --prompt-field NAME' : undefined;
  const fix = [hide, steps ? 'remove the field from what steps return' : undefined].filter(Boolean).join(', and ');
  return `'${excerpt(name, 60)}' is shown by ${places}: if it gives the answer away, ${fix || 'remove it on the server'}`;
}
