import type { LazyString } from './json/json-string.js';
import type { Settings } from './settings.js';

/** JSON text with its original spelling. JSON.parse would change numbers such as 2^63 and 1.0. */
export type JsonText = string;

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

// What discover/ reads from a server.

export interface Split {
  name: string;
  /** Number of tasks that are read: all tasks of the split, or up to `--limit`. */
  count: number;
}

/** Identifies the task of an episode. */
export interface TaskRef {
  split: string;
  /** Position in the split, from 0. */
  index: number;
  /** The server's id. It may contain a path of the serving machine. */
  id: string;
  /** Keyword arguments of the reset, a JSON object, if they select the task instead of split and index. */
  reset?: JsonText;
}

export interface Task extends TaskRef {
  /** The first user message. */
  prompt: LazyString;
  systemPrompt: string | null;
  toolset: Toolset;
}

/** A tool as the server lists it. */
export interface Tool {
  name: string;
  /** "" if the server has none. */
  description: string;
  /** JSON schema of the arguments, a JSON object. */
  parameters: JsonText;
}

/** The tools of the tasks that share a key, learned by probing some of them. */
export interface Toolset {
  /** `toolset:NAME` if the tasks declare it, otherwise `agent:NAME`, or `task:ID` if tasks of one agent differ. */
  key: string;
  /** The tasks that were probed. */
  tasks: TaskRef[];
  /** For `task:ID`, the key of each of these tasks before their tools were found to differ, such as `agent:NAME`. */
  agents?: string[];
  /** The tools of each turn, at least one turn. */
  turns: Tool[][];
}

/** A server's environment. Its tasks are read once, split by split, and never held in memory all at once. */
export interface Discovery {
  /** The server's name for its environment, such as `gridsim-v1`. */
  envName: string;
  splits: Split[];
  /** Whether the user provides the tasks: each has the arguments of its reset. */
  provided?: boolean;
  /** Set if the environment has one action instead of tools. The tool `step` represents it; `fixed` are fields of each action. */
  action?: { fixed: Record<string, JsonText> };
  /** How the rewards of an episode's steps become its score. If omitted, the score is what the last step reports. */
  rewardRule?: 'sum';
  /** The other splits and tasks of the source, if known. */
  served?: Served | undefined;
  /** Facts and decisions for the summary. */
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

/** What a source serves, of which a run may read a part. */
export interface Served {
  /** Number of tasks of each split that is read. */
  tasks: Readonly<Record<string, number>>;
  /** Splits that are not read. */
  otherSplits: readonly string[];
}

/** The results that are known only after all tasks are read. */
export interface DiscoverySummary {
  /** The toolsets of the tasks, in the order of their first tasks. Their keys and probed tasks are final. */
  toolsets: Toolset[];
  /** Names of the scores of the probes that reached the end of an episode, if any did. */
  scores?: ReadonlySet<string>;
}

// What the user asks gym/ to write.

/** Splits that become Gym datasets. */
export interface Datasets {
  train?: string;
  validation?: string;
  /** One of Gym's license names, such as `Apache 2.0`. */
  license: string;
  /** Whether `data/example.jsonl` is written, with five rows. */
  examples: boolean;
}

/** The datasets that the user asks for. */
export interface DatasetChoice {
  splits: Pick<Datasets, 'train' | 'validation'> | 'usual' | 'none';
  license: string;
}

/** A bundle that the resources server serves itself. */
export interface BundleConfig {
  /** Path of the bundle's folder, absolute or relative to the config's folder (with a leading dot), or its installed name. */
  bundle: string;
  /** Version of AgentEnv. */
  framework: string;
  /** Sandbox provider for its environments. */
  sandbox?: string;
}

/** Where the bridge finds the tasks: on a running server, at a URL without credentials, or in a bundle. */
export type ServerConfig = { url: string } | BundleConfig;

/** Everything besides the server's data that determines the written folder. */
export interface GymOptions {
  /** Name of the instance and of the folder. */
  name: string;
  server: ServerConfig;
  /** Headers that the bridge sends. Values contain `$VAR` as the user wrote it. */
  headers: Record<string, string>;
  /** The server's tool names, each with its name in the rows. */
  renameTools: Record<string, string>;
  settings: Settings;
  /** Appended to each task's system prompt, or the whole system prompt of a task without one. */
  appendSystemPrompt?: string;
  datasets?: Datasets;
  /** Keep the serving machine's path in `@local/…` ids. */
  fullIds: boolean;
}

/** The part of these options that does not depend on the server. */
export type GymRequest = Omit<GymOptions, 'name' | 'server' | 'datasets'> & { datasets: DatasetChoice };

// Files, from gym/ to output/ and check/.

/** A file of the written folder. `path` is relative to it, with `/` between its parts. */
export type OutputFile = TextFile | RowsFile;

export interface TextFile {
  path: string;
  content: string;
  /** Whether the content does not depend on the source, so that only a change of gymgen or of options changes it. */
  isTemplate?: boolean;
  /** Set if some values of the file are settings of the user, which are not counted as edits. */
  settings?: UserSettings;
}

/** Separates the settings of the user in a file from everything else. */
export interface UserSettings {
  /** The content without the settings. */
  rest: string;
  /** `rest` as earlier revisions of gymgen generated it. */
  former?: readonly string[];
  /** An existing text without its settings. */
  restOf(existing: string): Promise<string>;
  /** Whether an existing text has the same values as the content, including settings. */
  isSame(existing: string): Promise<boolean>;
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
  /** The reason, if the state alone does not explain it: `derived by Gym from rows that change`. */
  note?: string;
  /** Whether the reason is a change of gymgen, not of the source. */
  isGymgenChange?: true;
}

/** The revision of an existing folder and of this gymgen, which is higher. */
export interface GeneratorChange {
  before: number;
  now: number;
}

export interface Plan {
  /** All files, including the lock file, sorted by path. */
  entries: PlanEntry[];
  /** The number of rows of each JSONL file, by path. */
  rows: Record<string, number>;
  /** Set if an earlier revision of gymgen wrote the folder. */
  generator?: GeneratorChange;
}

/** What a run generated for one path. */
export interface Generated {
  /** Hash of the whole content. */
  full: string;
  /** The hash in the lock file: without settings and kept prompts. */
  hash: string;
  settings?: UserSettings;
  isTemplate?: boolean;
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
