import { expect, it } from 'vitest';
import { rewardScore, settings } from '../../src/rules/index.js';
import { codes } from './support.js';

it.each([
  [{}, []],
  [{ tool_timeout: 0.5, reset_timeout: 600, max_steps: 4, max_concurrent_envs: 8, reward: 'solve' }, []],
  [{ tool_timeout: 0 }, ['setting-value']],
  [{ tool_timeout: '60' }, ['setting-value']],
  [{ idle_timeout: Number.NaN }, ['setting-value']],
  [{ reset_timeout: Number.POSITIVE_INFINITY }, ['setting-value']],
  [{ max_steps: 1.5, max_concurrent_envs: -1 }, ['setting-value', 'setting-value']],
  [{ reward: '' }, ['setting-value']],
  [{ reward: 3 }, ['setting-value']],
  [{ reward_rule: 'max' }, []],
  [{ reward_rule: 'total' }, ['setting-value']],
  [{ reward: 'solve', reward_rule: 'final' }, []],
  [{ reward: 'solve', reward_rule: 'sum' }, ['setting-value']],
])('findings for the settings %j: %j', (values, expected) => {
  expect(codes(settings(values, (key) => `--${key}`))).toEqual(expected);
});

it('warns about a reward that no probed episode had', () => {
  expect(rewardScore('solve', new Set(['acc']))).toMatchObject([{ code: 'reward-score', severity: 'warning' }]);
  expect(rewardScore('acc', new Set(['acc']))).toEqual([]);
  expect(rewardScore('solve', undefined)).toEqual([]);
  expect(rewardScore(undefined, new Set())).toEqual([]);
});
