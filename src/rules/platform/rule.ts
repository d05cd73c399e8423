import type { Finding } from '../finding.js';

/**
 * When a problem would have been found without this rule.
 * - `submit`: `nemo customization rl` rejects the job.
 * - `start`: the job fails, after a cluster was scheduled for it.
 * - `rollout`: the first rollouts fail, or the request that contains the row.
 * - `training`: nothing fails, but the job trains on something other than intended.
 * - `never`: the job works, but not as the file says, or not elsewhere.
 */
export type When = 'submit' | 'start' | 'rollout' | 'training' | 'never';

export const WHEN: Readonly<Record<When, string>> = {
  submit: 'when the job is submitted',
  start: 'at the start of the job',
  rollout: 'in the first rollouts',
  training: 'only after training on something else, if at all',
  never: 'never',
};

/** A place in the target. */
export interface Place {
  /** Path below the root of the target, with `/`; empty for the root itself. */
  file: string;
  /** Line of a text file, from 1. */
  line?: number | undefined;
  /** Row of a dataset, from 1. */
  row?: number | undefined;
}

/** A problem that a rule found: the parts of a finding that the rule does not fix. */
export interface Problem {
  at: Place;
  /** What has the problem: `config path 'a.yaml'`. */
  subject: string;
  /** Completes the subject to a sentence. */
  problem: string;
  /** An imperative. */
  fix: string;
}

/** A problem with the rule that found it. */
export interface RuleFinding extends Finding {
  at: Place;
  /** Why the rule exists. */
  why: string;
  when: When;
}

/** The description of a rule. */
export interface RuleText {
  code: string;
  severity: Finding['severity'];
  /** The requirement, as a sentence without a full stop. */
  rule: string;
  /** Why, with its source. */
  why: string;
  when: When;
}

export interface Rule<Facts> extends RuleText {
  judge(facts: Facts): Iterable<Problem>;
}

/** Declares a rule. */
export function rule<Facts>(text: RuleText, judge: (facts: Facts) => Iterable<Problem>): Rule<Facts> {
  return { ...text, judge };
}

/** Applies rules to facts. */
export function* judge<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Generator<RuleFinding> {
  for (const one of rules) for (const problem of one.judge(facts)) yield findingOf(one, problem);
}

export function findingOf({ code, severity, why, when }: RuleText, problem: Problem): RuleFinding {
  return { code, severity, ...problem, why, when };
}
