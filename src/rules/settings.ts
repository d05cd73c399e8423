import { REWARD_RULES, type Settings } from '../model.js';
import { type Finding, quote } from './finding.js';

const WHOLE = ['max_steps', 'max_concurrent_envs'] as const;
const SECONDS = ['connect_timeout', 'tool_timeout', 'reset_timeout', 'idle_timeout'] as const;

/** Eleven days: past it a number of seconds is a typing error, and below a millisecond too. */
const LONGEST = 1e6;
const SHORTEST = 1e-3;

/** `setting-value`: what the bridge and simple_agent take. `where` names an option or a file, for the message. */
export function settings(values: Readonly<Record<string, unknown>>, where: (key: keyof Settings) => string): Finding[] {
  const refuse = (key: keyof Settings, what: string): Finding => ({
    code: 'setting-value',
    where: where(key),
    what: `${key} is ${quote(String(values[key]))}, not ${what}`,
    fix: 'correct it, or take it out for the default',
  });
  const findings: Finding[] = [];
  for (const key of SECONDS) {
    const value = values[key];
    if (value === undefined || (typeof value === 'number' && value >= SHORTEST && value <= LONGEST)) continue;
    findings.push(refuse(key, `a number of seconds from ${SHORTEST} to ${LONGEST}`));
  }
  for (const key of WHOLE) {
    const value = values[key];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) continue;
    findings.push(refuse(key, 'a whole number from 1'));
  }
  const { reward } = values;
  if (reward !== undefined && (typeof reward !== 'string' || reward === '' || reward === '???')) {
    findings.push(refuse('reward', "the name of one of the task's scores"));
  }
  const { reward_rule: rule } = values;
  if (rule !== undefined && !(REWARD_RULES as readonly unknown[]).includes(rule)) {
    findings.push(refuse('reward_rule', `one of ${REWARD_RULES.join(', ')}`));
  }
  if (reward !== undefined && rule !== undefined && rule !== 'final') {
    findings.push({
      code: 'setting-value',
      where: where('reward_rule'),
      what: 'a score by its name (reward) is what an episode ends with, and needs no rule',
      fix: 'leave one of the two out',
    });
  }
  return findings;
}

/**
 * `reward-score`: each rollout would be masked as unscored.
 * @param reward the name of the score that is the reward
 * @param scores of the episodes that were probed to their end; undefined if none was
 */
export function rewardScore(reward: string | undefined, scores: ReadonlySet<string> | undefined): Finding[] {
  if (reward === undefined || scores === undefined || scores.has(reward)) return [];
  const names = [...scores].slice(0, 10).map(quote).join(', ');
  return [
    {
      code: 'reward-score',
      severity: 'warning',
      where: `--reward ${quote(reward)}`,
      what: `no probed episode ended with this score (${names === '' ? 'none has scores' : `scores: ${names}`})`,
      fix: names === '' ? 'leave --reward out' : 'name one of these scores, or leave --reward out',
    },
  ];
}
