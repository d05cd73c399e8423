import type { Finding } from '../finding.js';

/**
 * When a problem would have been found without this rule.
 * - `submit`: `nemo customization rl` refuses the job.
 * - `start`: the job fails, after a cluster was scheduled for it.
 * - `rollout`: the first rollouts fail, or the post that has the row.
 * - `training`: nothing fails, but the job trains on something else than meant.
 * - `never`: it works, but not as the file says, or not elsewhere.
 */
export type When = 'submit' | 'start' | 'rollout' | 'training' | 'never';

export const WHEN: Readonly<Record<When, string>> = {
  submit: 'when the job is submitted',
  start: 'at the start of the job',
  rollout: 'in the first rollouts',
  training: 'never: the job would train on something else',
  never: 'never',
};

/** A place in what is judged. */
export interface Place {
  /** Path below the root of what is judged, with `/`; empty for the root itself. */
  file: string;
  /** Line of a text file, from 1. */
  line?: number | undefined;
  /** Row of a dataset, from 1. */
  row?: number | undefined;
}

/** What a rule found: the parts of a finding that differ each time. */
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
export interface Judgement extends Finding {
  at: Place;
  /** Why the rule exists. */
  why: string;
  when: When;
}

/** What a rule is, apart from its code. */
export interface RuleText {
  code: string;
  severity: Finding['severity'];
  /** What the rule wants, as a sentence without a full stop. */
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

/** What the rules find. */
export function* judge<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Generator<Judgement> {
  for (const one of rules) for (const problem of one.judge(facts)) yield judgement(one, problem);
}

export function judgement({ code, severity, why, when }: RuleText, problem: Problem): Judgement {
  return { code, severity, ...problem, why, when };
}
