import { excerpt } from '../openenv/index.js';
import type { Reporter } from './reporter.js';
import type { Trial } from './trial.js';

export interface TrialContext {
  /** What the tasks differ in, in the plural. */
  varied: string;
  /** Whether the tasks are seeds that gymgen made up, of which one is enough where they change nothing. */
  madeUp: boolean;
  /** Whether the user bounds the model's calls. */
  bounded: boolean;
  /** Whether a step without a reward counts as 0. */
  sums: boolean;
}

/**
 * Says what a trial found and what that means for the rows: to the user at once where there may be something to do about it,
 * else in notes for the summary.
 */
export function tellTrial(trial: Trial, context: TrialContext, reporter: Reporter): string[] {
  for (const warning of warnings(trial, context)) reporter.warn(warning);
  const notes: string[] = [];
  if (trial.repeats && trial.varies) {
    notes.push(`what is played follows from the ${context.varied}, and is the same each time (${trial.tried} tried)`);
  }
  if (typeof trial.prompt === 'object') notes.push(`prompt: ${trial.prompt.from ?? 'the observation'}`);
  if (trial.prompt === 'unsteady') notes.push('prompt: --prompt alone');
  return notes;
}

function* warnings(trial: Trial, { varied, madeUp, bounded, sums }: TrialContext): Generator<string> {
  const { tried, varies, repeats, rewards, done, prompt, refused, doubtful } = trial;
  if (!repeats) yield `two sessions with the same ${varied} were not alike: its episodes can't be played again`;
  else if (varies === false) {
    const alike = `${tried} sessions with different ${varied} were alike`;
    yield madeUp
      ? `${alike}, so one row is written; if its reset takes other arguments, give them with --tasks FILE`
      : `${alike}: does its reset take them?`;
  }
  if (prompt === 'unsteady')
    yield 'what an episode shows first is in no prompt, since the next one shows something else';
  if (typeof prompt === 'object' && prompt.from === null) {
    yield 'nothing that a reset shows says what the job is, so the prompt is the observation alone: ' +
      'say it with --prompt TEXT, or choose what is shown with --prompt-field NAME';
  }
  for (const { name, start, steps } of doubtful) yield doubtfulField(name, start, steps, typeof prompt === 'object');
  if (refused) {
    yield `a trial's first step, ${excerpt(refused.action)}, was refused: ${refused.why}; ` +
      'it may be too plain, or the environment may fail at any';
  }
  const steps = `${rewards.length} ${rewards.length === 1 ? 'step' : 'steps'} of a trial`;
  if (sums && rewards.length > 0 && rewards.every((reward) => reward === null)) {
    yield `${steps} gave no reward, which counts as 0: does the environment give any, and when?`;
  }
  if (rewards.length > 1 && !done && !bounded) {
    yield `${steps} didn't end the episode; where nothing does, a rollout ends with the model's first message without a ` +
      'call: bound it with --max-steps N';
  }
}

/** @param prompted whether prompts are what resets show */
function doubtfulField(name: string, start: boolean, steps: boolean, prompted: boolean): string {
  const places = [...(start ? ['the reset'] : []), ...(steps ? ['a step'] : [])].join(' and ');
  const hide = start && prompted ? 'choose what the prompt shows with --prompt-field NAME' : undefined;
  const fix = [hide, steps ? 'remove the field from what steps return' : undefined].filter(Boolean).join(', and ');
  return `'${excerpt(name, 60)}' is shown by ${places}: if it gives the answer away, ${fix || 'remove it on the server'}`;
}
