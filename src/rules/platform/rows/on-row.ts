import { isRecord } from '../../../json/guards.js';
import { type Problem, type Rule, type RuleText, rule } from '../rule.js';
import type { RowFacts } from './facts.js';

export type FoundInRow = Omit<Problem, 'at'>;

const NONE: readonly Problem[] = [];

/** A rule about a line. It allocates nothing for a line that is correct. */
export function onRow(text: RuleText, judge: (facts: RowFacts) => FoundInRow | undefined): Rule<RowFacts> {
  return rule(text, (facts: RowFacts) => {
    const found = judge(facts);
    if (found === undefined) return NONE;
    const { file, row } = facts;
    return [{ at: { file, line: row, row }, ...found }];
  });
}

/** A rule about a row that is an object. */
export function onObject(
  text: RuleText,
  judge: (row: Record<string, unknown>, facts: RowFacts) => FoundInRow | undefined,
): Rule<RowFacts> {
  return onRow(text, (facts) => (isRecord(facts.value) ? judge(facts.value, facts) : undefined));
}

/** A rule about `responses_create_params`. */
export function onParams(
  text: RuleText,
  judge: (params: Record<string, unknown>, facts: RowFacts) => FoundInRow | undefined,
): Rule<RowFacts> {
  return onObject(text, ({ responses_create_params: params }, facts) =>
    isRecord(params) ? judge(params, facts) : undefined,
  );
}
