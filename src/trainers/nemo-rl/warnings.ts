import { formatCount } from '../../display-text.js';
import { type Finding, warning } from '../../rules/index.js';
import type { Environment } from '../environments.js';
import type { LongRow, RowFacts } from '../row-facts.js';
import { valueAt } from './config-values.js';
import type { Base, Plan } from './plan.js';

/** A row that is longer than the longest sequence, at 4 characters per token. */
export interface LongRowOf extends LongRow {
  environment: string;
  split: string;
}

/** How many rows are too long. */
const NAMED = 10;

/** Rows that would end the run: their number, and the ten longest. */
export function rowsOverLength(environments: readonly Environment[], { length }: Plan) {
  const files = environments.flatMap(({ name, train, validation }) => {
    return [train, ...(validation ? [validation] : [])].map((facts) => ({ name, facts }));
  });
  const isOver = ({ tokens }: LongRow) => tokens > length.tokens;
  const longest = files
    .flatMap(({ name, facts }) => facts.longest.filter(isOver).map((row) => longRow(name, facts, row)))
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, NAMED);
  return { count: files.reduce((sum, { facts }) => sum + facts.over, 0), longest };
}

function longRow(environment: string, { split }: RowFacts, row: LongRow): LongRowOf {
  return { environment, split, ...row };
}

/** What may go wrong with a run. */
export function planWarnings(base: Base, environments: readonly Environment[], plan: Plan): Finding[] {
  return [...tooLong(environments, plan), ...tooFewSessions(environments, plan), ...noBackend(base, plan)];
}

function tooLong(environments: readonly Environment[], plan: Plan): Finding[] {
  const { count, longest } = rowsOverLength(environments, plan);
  if (count === 0) return [];
  const rows = count === 1 ? '1 row is' : `${formatCount(count)} rows are`;
  const problem = `${rows} longer, at 4 characters per token; NeMo RL stops the whole run at such a row`;
  const most = formatCount(longest[0]?.tokens ?? 0);
  const fix = `raise --max-total-sequence-length above ${most}, or remove the rows`;
  return [warning('nemo-rl-length', `max_total_sequence_length ${formatCount(plan.length.tokens)}`, problem, fix)];
}

function tooFewSessions(environments: readonly Environment[], { rollouts }: Plan): Finding[] {
  return environments.flatMap(({ name, maxConcurrentEnvs }) => {
    if (maxConcurrentEnvs === undefined || maxConcurrentEnvs >= rollouts) return [];
    const problem = `serves ${maxConcurrentEnvs} episodes at once, but a step plays ${rollouts} rollouts: the others wait`;
    const fix = `set max_concurrent_envs: ${rollouts} in configs/${name}.yaml, or lower --prompts-per-step`;
    return [warning('nemo-rl-concurrency', name, problem, fix)];
  });
}

/** NeMo RL starts only if one of the two is enabled (nemo_rl/models/policy/lm_policy.py:146). */
function noBackend({ values, dtensor }: Base, { lora }: Plan): Finding[] {
  const isEnabled = (key: string) => valueAt(values, `policy.${key}.enabled`) === true;
  if (lora || isEnabled('megatron_cfg') || isEnabled(dtensor)) return [];
  const problem = `enables neither policy.megatron_cfg nor policy.${dtensor}, but one of them must train the model`;
  return [warning('nemo-rl-backend', 'the base', problem, `set policy.${dtensor}.enabled: true in the base`)];
}
