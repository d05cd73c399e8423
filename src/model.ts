import type { JsonString } from './json/json-string.js';

/** JSON as the server wrote it: numbers keep their spelling, which JSON.parse would not (2^63, 1.0). */
export type JsonText = string;

/** A split of the server, with as many of its tasks as the run reads. */
export interface Split {
  name: string;
  /** Tasks that are read: all of them, or `--limit`. */
  count: number;
}

/** Which task an episode plays. */
export interface TaskRef {
  split: string;
  /** Position in the split, from 0. */
  index: number;
  /** The server's own id, which may hold a path of the machine that serves it. */
  id: string;
  /** Keyword arguments of the reset, an object, where these say which task is played in place of split and index. */
  reset?: JsonText;
}

export interface Task extends TaskRef {
  /** As it was spelt where it is long, so that it need not be decoded to be written. */
  prompt: string | JsonString;
  systemPrompt: string | null;
  toolset: Toolset;
}

/** A tool as the server lists it. */
export interface Tool {
  name: string;
  /** "" where the server has none. */
  description: string;
  /** The JSON schema of its arguments, an object. */
  parameters: JsonText;
}

/** The tools of the tasks that share a key, learned by probing some of them. */
export interface Toolset {
  /** `toolset:NAME` as the task declares it, `agent:NAME` where it declares none, `task:ID` where those differ. */
  key: string;
  /** The tasks that were probed. */
  tasks: TaskRef[];
  /** The tools of each turn that was opened, at least one turn. */
  turns: Tool[][];
}

/** What a server serves. Tasks are read once, split by split, and are never all in memory. */
export interface Discovery {
  /** The server's name for its environment, such as `gridsim-v1`. */
  envName: string;
  splits: Split[];
  /** Whether the user provides the tasks: each has the arguments of its reset. */
  provided?: boolean;
  /** For an environment with an action, which the tool `step` replaces, in place of tools: the action's fixed fields. */
  action?: { fixed: Record<string, JsonText> };
  /** How the rewards of an episode's steps become its score, where it isn't what the episode ends with. */
  rewardRule?: 'sum';
  /** What was found out and decided, for the summary. */
  notes?: readonly string[];
  /**
   * The tasks of a split in order, in pages. Each split is read once, to its end, in the order of `splits`. A server's first
   * page is requested at once.
   */
  tasks(split: Split): AsyncIterable<Task[]>;
  /**
   * Completes the discovery after the tasks of all splits are read. Further calls have the same result.
   * @throws UserError if the source is incomplete or changed meanwhile, or if tasks could not be probed
   */
  finish(): Promise<DiscoverySummary>;
}

/** What is known only after all tasks are read. */
export interface DiscoverySummary {
  /** The toolsets of the tasks, in the order of their first tasks. Their keys and probed tasks are final. */
  toolsets: Toolset[];
  /** Names of the scores of the probes that reached the end of an episode, if any did. */
  scores?: ReadonlySet<string>;
}

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

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A file of the written folder. `path` is relative to it, with `/` between its parts. */
export type OutputFile = TextFile | RowsFile;

export interface TextFile {
  path: string;
  content: string;
  /**
   * Lines that match are settings which belong to the user: they don't count as a hand edit. Tested line by line, without
   * flags, and linear in a line's length. Only code says which lines these are, never a lock file.
   */
  settings?: RegExp;
}

/**
 * JSONL in chunks of whole lines, each ended by LF; read once, in order, before the next file is asked for. A chunk is good
 * until the next is asked for.
 */
export interface RowsFile {
  path: string;
  rows: AsyncIterable<Buffer>;
  /** Once all rows went by, a short hash of each one's prompts as they were generated, as the lock file has them. */
  prompts?: { toString(): string };
  /** Where somebody reads the file on disk meanwhile: whether it is the same, which then need not be asked again. */
  seen?: { readonly same: boolean };
  /** Where some rows hold prompts of the user's in place of those that were generated. */
  kept?: KeptPrompts;
}

/** To be asked once all rows went by. */
export interface KeptPrompts {
  /** How many rows hold prompts of the user's. */
  readonly count: number;
  /** Hash of the rows as they were generated. */
  readonly hash: string;
  /** Whether the file on disk has nothing else of the user's: then it is no hand edit. */
  readonly only: boolean;
}

/**
 * What becomes of files that were edited by hand: the run stops, they are overwritten, they are left as they are, or they
 * are left and the lock file says so, so that they count as they should be from then on.
 */
export type Edits = 'refuse' | 'ours' | 'keep' | 'theirs';

/** What a run does, or would do, to one file. `edited`: changed by hand since gymgen wrote it. */
export type FileState = 'create' | 'update' | 'same' | 'stale' | 'edited';

export interface PlanEntry {
  path: string;
  state: FileState;
  /** Why, where the state alone doesn't say it: `derived by Gym from rows that change`. */
  note?: string;
}

export interface Plan {
  /** Sorted by path; the lock file is one of them. */
  entries: PlanEntry[];
  /** Rows of each JSONL file by its path. */
  rows: Record<string, number>;
}

/** What a run generated for one path, known once all of it went by. */
export interface Generated {
  /** Hash of all of its text. */
  full: string;
  /** Hash without the lines that are settings; `full` where it has none. The lock file keeps this one. */
  hash: string;
  /** Lines that are settings. */
  settings?: RegExp;
  rows?: number;
  prompts?: string;
  kept?: KeptPrompts;
  /** Whether the file on disk is known to be the same. */
  same?: boolean;
}

/** The folder that is written or looked at. */
export interface Target {
  gymRoot: string;
  name: string;
}

export interface Written {
  plan: Plan;
  /** Whether the folder differed from what was generated; nothing in it is touched where it didn't. */
  changed: boolean;
  folder: string;
}
