import { LIMITS } from '../../../limits.js';
import type { Finding } from '../../finding.js';
import { judge } from '../rule.js';
import { ALL_ROW_RULES } from './all.js';
import type { RowContext } from './facts.js';
import { parseRow } from './parse.js';

/** A row that gymgen writes names the agent of its own config. */
const ROOT: RowContext = { isDataset: false, agents: undefined, others: new Map(), vfEnvId: undefined };

/** The errors that `gymgen validate` would find in a row of a Gym root. @param line without its line break */
export function rowErrors(line: Buffer): Finding[] {
  const { value, fault } = parseRow(line.length > LIMITS.rowBytes ? 'too-long' : line, false);
  const found = judge(ALL_ROW_RULES, { file: '', row: 0, value, fault, context: ROOT });
  return [...found].filter(({ severity }) => severity === 'error');
}
