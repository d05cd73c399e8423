export const REWARD_RULES = ['sum', 'last', 'max', 'final'] as const;
export type RewardRule = (typeof REWARD_RULES)[number];

/**
 * Settings of the config that people change by hand, and that a rewrite keeps. The timeouts are in seconds.
 * `SETTING_KEYS` has the same keys.
 */
export interface Settings {
  connect_timeout?: number;
  tool_timeout?: number;
  reset_timeout?: number;
  idle_timeout?: number;
  /** Episodes at once, where the resources server serves the tasks itself. */
  max_concurrent_envs?: number;
  /** Which of the task's scores is the reward, where it isn't the episode's own. */
  reward?: string;
  /** How the rewards of an episode's steps become its score: `final`, the episode's last word, where it isn't there. */
  reward_rule?: RewardRule;
  /** The agent's: model calls a rollout. */
  max_steps?: number;
}

export const SETTING_KEYS = [
  'connect_timeout',
  'tool_timeout',
  'reset_timeout',
  'idle_timeout',
  'max_concurrent_envs',
  'reward',
  'reward_rule',
  'max_steps',
] as const satisfies readonly (keyof Settings)[];

/** Which splits become a `datasets` block in Gym's terms. */
export interface Datasets {
  train?: string;
  validation?: string;
  /** One of Gym's own licence names, such as `Apache 2.0`. */
  license: string;
}

/** Episodes at once of a bundle that the resources server serves, where the config doesn't say: AgentEnv's own default. */
export const MAX_CONCURRENT_ENVS = 8;

/** A bundle that the resources server serves itself, as the config says it. */
export interface BundleConfig {
  /** A folder, absolute or relative to the config's own (it then begins with a dot), or an installed bundle's name. */
  bundle: string;
  /** The version of AgentEnv that serves it. */
  framework: string;
  /** The sandbox provider that its environments are deployed on. */
  sandbox?: string;
}

/** Where the bridge finds the tasks: on a server that runs (a URL never holds a credential), or in a bundle. */
export type ServerConfig = { url: string } | BundleConfig;

/** All that decides the written folder, beside what the server says. */
export interface GymOptions {
  /** The instance and folder name. */
  name: string;
  server: ServerConfig;
  /** Headers that the bridge sends, values with `$VAR` in them as the user wrote them. */
  headers: Record<string, string>;
  /** The server's tool name → the name in the rows. */
  renameTools: Record<string, string>;
  settings: Settings;
  /** Added to each task's system prompt, or its whole system prompt where it has none. */
  appendSystemPrompt?: string;
  datasets?: Datasets;
  /** Keep the serving machine's path in `@local/…` ids. */
  fullIds: boolean;
}
