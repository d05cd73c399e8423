/** JSON as the server wrote it: numbers keep their spelling, which JSON.parse would not (2^63, 1.0). */
export type JsonText = string;

/** A long text that was not decoded yet; `String(text)` decodes it. */
export interface RawText {
  toString(): string;
  toJSON(): string;
}

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
  /** A long one is not decoded, because it is written again unchanged. */
  prompt: string | RawText;
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
