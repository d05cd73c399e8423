import type { Connection } from './connection.js';
import { type GivenTask, type GivenTasks, spread } from './given-tasks.js';
import { type Prompt, type PromptOptions, promptOf } from './prompt.js';
import { steady, unsteadyFields, withoutFields } from './steady.js';
import { type TryOut, tryOut } from './try-out.js';
import type { Split } from './types.js';

export interface TrialOptions {
  prompt: PromptOptions;
  /** Tasks that are played, at most. */
  probes: number;
  /** Seconds a step. */
  toolTimeout: number;
}

/** What a few sessions told of an environment. */
export interface Trial {
  /** Sessions with other arguments, the first ones included. */
  tried: number;
  /** Whether other arguments play something else; null where there was one task only. */
  varies: boolean | null;
  /** Whether the same arguments play the same. */
  repeats: boolean;
  /** The first task's as its episode shows it; `own` where the task has one, `unsteady` where no two of its episodes show the same. */
  prompt: Prompt | 'own' | 'unsteady';
  /** Names of fields that are another each time, such as an episode's id, and have no place in a prompt. */
  unsteady: ReadonlySet<string>;
  /** Of the longest episode. */
  rewards: (number | null)[];
  done: boolean;
  /** The first step of the first task, where it was refused. */
  refused?: NonNullable<TryOut['refused']>;
}

/** Tasks that are compared. Two that play the same where it depends on chance are no wonder; eight are. */
const TASKS = 8;
/** Steps of one episode. What is never done by then may never be. */
const STEPS = 20;

/**
 * Plays the first task twice and some others once, each in a session of its own, since what is left of one episode may show in
 * the next: do their arguments decide what is played?
 * @throws PlayFailed where a reset fails
 */
export async function trial(
  given: GivenTasks,
  { environment, sessions, watch }: Connection,
  { prompt, probes, toolTimeout }: TrialOptions,
): Promise<Trial> {
  const largest = given.splits.reduce((a, b) => (b.count > a.count ? b : a));
  const [first, ...others] = await distinct(given, largest, Math.min(TASKS, probes));
  const play = (task: GivenTask, steps = 1) =>
    watch(sessions.use((session, seconds) => tryOut(session, task, seconds, environment, { steps, toolTimeout })));

  const [one, again, last] = await Promise.all([
    play(first, STEPS),
    play(first),
    ...others.slice(-1).map((task) => play(task)),
  ]);
  const unsteady = unsteadyFields(one.start, again.start);
  const repeats = one.trace === again.trace;
  const rest = last?.trace === one.trace ? await Promise.all(others.slice(0, -1).map((task) => play(task))) : [];
  const played = [one, ...(last ? [last] : []), ...rest];
  return {
    tried: played.length,
    varies: last ? played.some(({ trace }) => trace !== one.trace) : null,
    repeats,
    prompt: samePrompt(one, again, unsteady, prompt),
    unsteady,
    rewards: one.rewards,
    done: one.done,
    ...(one.refused ? { refused: one.refused } : {}),
  };
}

/** Tasks of a split that differ in their arguments, as far as it has any. */
async function distinct(given: GivenTasks, split: Split, count: number): Promise<[GivenTask, ...GivenTask[]]> {
  const byReset = new Map<string, GivenTask>();
  for (const task of await spread(given, split, count)) {
    if (!byReset.has(task.reset)) byReset.set(task.reset, task);
  }
  return [...byReset.values()] as [GivenTask, ...GivenTask[]];
}

function samePrompt(one: TryOut, again: TryOut, unsteady: Trial['unsteady'], options: PromptOptions): Trial['prompt'] {
  if (one.task.prompt !== undefined) return 'own';
  const [prompt, other] = [one, again].map(({ start }) => promptOf(withoutFields(start, unsteady), options)) as [
    Prompt,
    Prompt,
  ];
  return steady(prompt.prompt) === steady(other.prompt) ? prompt : 'unsteady';
}
