import type { Rule } from '../rule.js';
import type { RowFacts } from './facts.js';
import { INPUT_RULES } from './input.js';
import { LINE_RULES } from './lines.js';
import { LIVE_RULES } from './live.js';
import { ROW_RULES } from './row.js';
import { ROW_TOOL_RULES } from './tools.js';

/** All rules about one line of a file of rows. */
export const ALL_ROW_RULES: readonly Rule<RowFacts>[] = [
  ...LINE_RULES,
  ...ROW_RULES,
  ...INPUT_RULES,
  ...ROW_TOOL_RULES,
  ...LIVE_RULES,
];
