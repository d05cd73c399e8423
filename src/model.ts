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

/** What the tasks that share a key offer the model, learnt by playing some of them. */
export interface Toolset {
  /** `toolset:NAME` as the task declares it, `agent:NAME` where it declares none, `task:ID` where those differ. */
  key: string;
  /** The tasks that were played to learn it. */
  tasks: TaskRef[];
  /** The tools of each turn that was opened, at least one turn. */
  turns: Tool[][];
}

/** What a server serves. Tasks are read once, split by split, and are never all in memory. */
export interface Discovery {
  /** The server's name for its environment, such as `gridsim-v1`. */
  envName: string;
  splits: Split[];
  /** Whether the tasks are the user's: each says the arguments of its reset. */
  given?: boolean;
  /** Where the environment has no tools but one action, which the tool `step` stands for: the fields that it always has. */
  action?: { fixed: Record<string, JsonText> };
  /** How the rewards of an episode's steps become its score, where it isn't what the episode ends with. */
  rewardRule?: 'sum';
  /** What was found out and decided, for the summary. */
  notes?: readonly string[];
  /** Names of the scores of the episodes that were probed to their end so far; undefined if none was. */
  scores?(): ReadonlySet<string> | undefined;
  /**
   * The split's tasks in order, in pages; the toolset of each is known by then. Splits are read in order too, each to its
   * end; a server's first page is on its way once this is called.
   */
  tasks(split: Split): AsyncIterable<Task[]>;
  /** The toolsets that the tasks read so far have, in the order they were met. */
  toolsets(): Toolset[];
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
   * Matches the lines that are settings of the user, which are not counted as edits. Tested line by line; without flags, and
   * linear in the length of a line. It comes from code only, never from a lock file.
   */
  settings?: RegExp;
}

/**
 * A JSONL file in chunks of whole lines, each ended by LF. It is read once, to its end, before the next file is requested. A
 * chunk is valid until the next one is requested.
 */
export interface RowsFile {
  path: string;
  rows: AsyncIterable<Buffer>;
  /** For the lock file, a short hash of each row's generated prompts. Read after all rows. */
  prompts?: { toString(): string };
  /** Set if the existing file is compared while the rows are read: whether it is the same. Read after all rows. */
  seen?: { readonly same: boolean };
  /** Set if rows may keep prompts of the user. */
  kept?: KeptPrompts;
}

/** Read after all rows. */
export interface KeptPrompts {
  /** Rows with prompts of the user. */
  readonly count: number;
  /** Hash of the rows as they were generated. */
  readonly hash: string;
  /** Whether the prompts are the only edits in the existing file, which then does not count as edited. */
  readonly only: boolean;
}

/**
 * What to do with files that were edited by hand. `refuse`: stop the run. `ours`: overwrite them. `keep`: leave them, and
 * report them again next time. `theirs`: leave them, and accept them in the lock file.
 */
export type Edits = 'refuse' | 'ours' | 'keep' | 'theirs';

/**
 * What a run does, or would do, to one file. `stale`: no longer generated, so removed. `edited`: changed by hand since gymgen
 * wrote it.
 */
export type FileState = 'create' | 'update' | 'same' | 'stale' | 'edited';

export interface PlanEntry {
  path: string;
  state: FileState;
  /** The reason, if the state alone does not tell it: `derived by Gym from rows that change`. */
  note?: string;
}

export interface Plan {
  /** All files, including the lock file, sorted by path. */
  entries: PlanEntry[];
  /** The number of rows of each JSONL file, by path. */
  rows: Record<string, number>;
}

/** What a run generated for one path. */
export interface Generated {
  /** Hash of the whole content. */
  full: string;
  /** The hash in the lock file: without settings and kept prompts. */
  hash: string;
  /** Matches the lines that are settings. */
  settings?: RegExp;
  rows?: number;
  prompts?: string;
  kept?: KeptPrompts;
  /** Whether the existing file is known to be the same. */
  same?: boolean;
}

/** A folder `<gymRoot>/resources_servers/<name>`. */
export interface Target {
  gymRoot: string;
  name: string;
}

export interface Written {
  plan: Plan;
  /** Whether the folder differed from the generated one. If not, nothing in it was touched. */
  changed: boolean;
  folder: string;
}
