import { REWARD_RULES, SETTING_KEYS, SETTING_KINDS, type SettingKey, type SettingKind } from '../settings.js';
import { error, type Finding, quote, warning } from './finding.js';

/** Eleven days, and a millisecond: other numbers of seconds are typing errors. */
const LONGEST = 1e6;
const SHORTEST = 1e-3;

const KINDS: Record<SettingKind, { is: (value: unknown) => boolean; text: string }> = {
  seconds: { is: isSeconds, text: `a number of seconds from ${SHORTEST} to ${LONGEST}` },
  count: { is: isCount, text: 'a whole number from 1' },
  score: { is: isScore, text: "the name of one of the task's scores" },
  'reward rule': { is: isRewardRule, text: `one of ${REWARD_RULES.join(', ')}` },
};

/**
 * `setting-value`: settings that the bridge and simple_agent accept.
 * @param subject names the option or the file that has a setting
 */
export function settings(values: Readonly<Record<string, unknown>>, subject: (key: SettingKey) => string): Finding[] {
  const findings: Finding[] = [];
  for (const key of SETTING_KEYS) {
    const value = values[key];
    const { is, text } = KINDS[SETTING_KINDS[key]];
    if (value === undefined || is(value)) continue;
    const problem = `${key} is ${quote(String(value))}, not ${text}`;
    findings.push(error('setting-value', subject(key), problem, 'correct it, or remove it to use the default'));
  }
  if (values.reward !== undefined && values.reward_rule !== undefined && values.reward_rule !== 'final') {
    const problem = 'a reward rule cannot be combined with a named score (reward)';
    findings.push(error('setting-value', subject('reward_rule'), problem, 'remove one of the two'));
  }
  return findings;
}

function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && value >= SHORTEST && value <= LONGEST;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isScore(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value !== '???';
}

function isRewardRule(value: unknown): boolean {
  return (REWARD_RULES as readonly unknown[]).includes(value);
}

/**
 * `reward-score`: every rollout would be masked as unscored.
 * @param reward the name of the score that is the reward
 * @param scores of the episodes that were probed to their end; undefined if there are no such episodes
 */
export function rewardScore(reward: string | undefined, scores: ReadonlySet<string> | undefined): Finding[] {
  if (reward === undefined || scores === undefined || scores.has(reward)) return [];
  const names = [...scores].slice(0, 10).map(quote).join(', ');
  const problem = `no probed episode ended with this score (${names === '' ? 'none has scores' : `scores: ${names}`})`;
  const fix = names === '' ? 'omit --reward' : 'name one of these scores, or omit --reward';
  return [warning('reward-score', `--reward ${quote(reward)}`, problem, fix)];
}
