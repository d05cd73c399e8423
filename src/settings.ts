/** How the rewards of an episode's steps become its score. `final`: the score that the last step reports. */
export const REWARD_RULES = ['sum', 'last', 'max', 'final'] as const;
export type RewardRule = (typeof REWARD_RULES)[number];

/** The default of `max_concurrent_envs`, which is AgentEnv's, too. */
export const MAX_CONCURRENT_ENVS = 8;

/** Settings of the config that users may edit and that gymgen keeps. Timeouts are in seconds. */
export interface Settings {
  connect_timeout?: number;
  tool_timeout?: number;
  reset_timeout?: number;
  idle_timeout?: number;
  /** Upper bound on concurrent episodes of a bundle that the resources server serves. */
  max_concurrent_envs?: number;
  /** Name of the score that is the reward. Default: the episode's own reward. */
  reward?: string;
  /** Default: `final`. */
  reward_rule?: RewardRule;
  /** Upper bound on the agent's model calls in a rollout. */
  max_steps?: number;
}

export type SettingKey = keyof Settings;
export type SettingKind = 'seconds' | 'count' | 'score' | 'reward rule';

/** The kind of each setting's value, in the order of the config. `rules/settings.ts` checks the values by their kind. */
export const SETTING_KINDS = {
  connect_timeout: 'seconds',
  tool_timeout: 'seconds',
  reset_timeout: 'seconds',
  idle_timeout: 'seconds',
  max_concurrent_envs: 'count',
  reward: 'score',
  reward_rule: 'reward rule',
  max_steps: 'count',
} as const satisfies Record<SettingKey, SettingKind>;

export const SETTING_KEYS = Object.keys(SETTING_KINDS) as readonly SettingKey[];
