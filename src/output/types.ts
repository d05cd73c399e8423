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
