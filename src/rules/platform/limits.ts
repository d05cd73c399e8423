import type { RuleText } from './rule.js';

/** Input that gymgen does not read. */
export const OVER_LIMIT: RuleText = {
  code: 'over-limit',
  severity: 'error',
  rule: "What is validated is within gymgen's limits",
  why: 'docs/limits.md lists them. They bound the memory that untrusted input can cost.',
  when: 'never',
};
