import type { Split } from '../model.js';
import type { Connection } from './connection.js';
import { type GivenTask, type GivenTasks, spread } from './given-tasks.js';
import { doubtfulFields } from './observation-text.js';
import { type Prompt, type PromptOptions, promptOf } from './prompt.js';
import { steady, unsteadyFields, withoutFields } from './steady.js';
import { type TryOut, tryOut } from './try-out.js';

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
  /** Names of the scores of the first episode, if a step ended it. */
  scores?: ReadonlySet<string>;
  /** Fields that may give the answer away: where the environment shows them. */
  doubtful: readonly { name: string; start: boolean; steps: boolean }[];
  /** The first step of the first task, where it was refused. */
  refused?: NonNullable<TryOut['refused']>;
}

/** Tasks that are compared. Two that play the same where it depends on chance are no wonder; eight are. */
const TASKS = 8;
/** Tasks that are repeated before "the same each time" is said. */
const REPEATED = 3;
/**
 * Further sessions for these. An environment that draws one of two starts, as chess does its colour, is then taken for one
 * that repeats in one run of five hundred.
 */
const REPEATS = 10;
/** Steps of one episode. What is never done by then may never be. */
const STEPS = 20;

/**
 * Probes the first task twice and some others once, each in a session of its own, since what is left of one episode may show
 * in the next: do their arguments decide what is played? If the first two sessions are alike, the first tasks are probed a few
 * more times.
 * @throws PlayFailed where a reset fails
 */
export async function trial(
  given: GivenTasks,
  { environment, sessions, watch }: Connection,
  { prompt, probes, toolTimeout }: TrialOptions,
): Promise<Trial> {
  const largest = given.splits.reduce((a, b) => (b.count > a.count ? b : a));
  const tasks = await distinct(given, largest, Math.min(TASKS, probes));
  const [first, ...others] = tasks;
  const play = (task: GivenTask, steps = 1) =>
    watch(sessions.use((session, seconds) => tryOut(session, task, seconds, environment, { steps, toolTimeout })));

  const [one, again, last] = await Promise.all([
    play(first, STEPS),
    play(first),
    ...others.slice(-1).map((task) => play(task)),
  ]);
  const rest = last?.trace === one.trace ? await Promise.all(others.slice(0, -1).map((task) => play(task))) : [];
  const played = [one, ...(last ? [last] : []), ...rest];
  const more = one.trace === again.trace ? repeated(tasks.slice(0, REPEATED), Math.min(REPEATS, probes)) : [];
  const pairs = alike([...played, again, ...(await Promise.all(more.map((task) => play(task))))]);
  const unsteady = new Set(pairs.flatMap(([a, b]) => [...unsteadyFields(a.start, b.start)]));
  return {
    tried: played.length,
    varies: last ? played.some(({ trace }) => trace !== one.trace) : null,
    repeats: pairs.every(([a, b]) => a.trace === b.trace),
    prompt: samePrompt(one, pairs, unsteady, prompt),
    unsteady,
    rewards: one.rewards,
    done: one.done,
    ...(one.scores ? { scores: one.scores } : {}),
    doubtful: doubtfulIn(one),
    ...(one.refused ? { refused: one.refused } : {}),
  };
}

/** These tasks over and over, `count` in all. */
function repeated(tasks: readonly GivenTask[], count: number): GivenTask[] {
  return Array.from({ length: count }, (_, at) => tasks[at % tasks.length] as GivenTask);
}

/** Each session with the first one of the same task. */
function alike(played: readonly TryOut[]): [TryOut, TryOut][] {
  return played.flatMap((other, at): [TryOut, TryOut][] => {
    const first = played.findIndex(({ task }) => task === other.task);
    return first < at ? [[played[first] as TryOut, other]] : [];
  });
}

/** Tasks of a split that differ in their arguments, as far as it has any. */
async function distinct(given: GivenTasks, split: Split, count: number): Promise<[GivenTask, ...GivenTask[]]> {
  const byReset = new Map<string, GivenTask>();
  for (const task of await spread(given, split, count)) {
    if (!byReset.has(task.reset)) byReset.set(task.reset, task);
  }
  return [...byReset.values()] as [GivenTask, ...GivenTask[]];
}

function samePrompt(
  one: TryOut,
  pairs: readonly [TryOut, TryOut][],
  unsteady: Trial['unsteady'],
  options: PromptOptions,
): Trial['prompt'] {
  if (one.task.prompt !== undefined) return 'own';
  const of = ({ start }: TryOut) => promptOf(withoutFields(start, unsteady), options);
  const same = pairs.every(([a, b]) => steady(of(a).prompt) === steady(of(b).prompt));
  return same ? of(one) : 'unsteady';
}

/** Where the fields are that may give the answer away: in the first thing that an episode shows, and in a step's. */
function doubtfulIn({ start, shown }: TryOut): Trial['doubtful'] {
  const [atStart, later] = [doubtfulFields(start.observation), doubtfulFields(shown?.observation)];
  return [...new Set([...atStart, ...later])].map((name) => ({
    name,
    start: atStart.has(name),
    steps: later.has(name),
  }));
}
