// Generated from src/documents/schemas/. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run --project unit test/docs

import type { ErrorCode } from '../errors.js';

export interface Split {
  /** Name of the split */
  split: string;
  /** Number of rows */
  rows: number;
}

export interface Datasets {
  /** Split to train on */
  train?: string | undefined;
  /** Split to validate on */
  validation?: string | undefined;
  /** NeMo Gym's name of the license */
  license: string;
  /** Whether `data/example.jsonl` is written */
  examples: boolean;
}

export interface Finding {
  /** Name of the rule, such as `tool-name` */
  code: string;
  /** What has the problem, such as `tool 'verify'` */
  subject: string;
  /** The problem; read it after `subject` */
  problem: string;
  /** What to do about it */
  fix: string;
  severity: 'error' | 'warning';
}

export interface Counts {
  /** Sessions opened */
  sessions: number;
  /** HTTP requests */
  requests: number;
  /** Bytes received over HTTP */
  bytes: number;
}

export interface PlannedFile {
  /** Path in the folder */
  path: string;
  /** `stale`: no longer generated; `edited`: edited by hand */
  state: 'create' | 'update' | 'same' | 'stale' | 'edited';
  /** Reason for the state */
  note?: string | undefined;
  /** Whether gymgen itself changed, not the source */
  isGymgenChange?: true | undefined;
}

export interface CheckedFolder {
  /** Name of the server */
  name: string;
  /** Absolute path of the folder */
  folder: string;
  status: 'same' | 'differs';
  /** Set if gymgen itself changed since the folder was written */
  generator?: Revisions | undefined;
  rows: Split[];
  /** Every file that differs */
  differences: Difference[];
  /** Files that you keep, or whose edited prompts you keep; they do not count as differences */
  keptFiles: {
    path: string;
    /** Reason */
    note: string;
  }[];
  /** Row and Python files that gymgen did not write; they do not count as differences */
  unlisted: string[];
  /** Other folders of the Gym root that were written from the same source under another name */
  former: string[];
  /** Tasks that were probed for their tools, and the estimated number of different tasks */
  sample: {
    probed: number;
    tasks: number;
  };
  warnings: Finding[];
  counts: Counts;
}

export interface Revisions {
  before: number;
  now: number;
}

export interface Difference {
  /** Path in the folder */
  path: string;
  /** `stale`: no longer generated; `edited`: edited by hand */
  state: 'create' | 'update' | 'same' | 'stale' | 'edited';
  /** Reason for the state */
  note?: string | undefined;
  /** Whether gymgen itself changed, not the source */
  isGymgenChange?: true | undefined;
  /** For a text file: lines of a unified diff */
  diff?: string[] | undefined;
  /** For a file of rows */
  rows?: RowDifferences | undefined;
}

export interface RowDifferences {
  /** Generated rows that the file lacks, with line numbers of the generated file */
  added: Rows;
  /** Rows that are no longer generated */
  removed: Rows;
  changed: {
    count: number;
    /** The first changed rows, at most 10 */
    first: ChangedRow[];
    /** Number of changed rows by field */
    fields: Record<string, number>;
  };
  /** Rows that differ only in their index */
  moved: Rows;
  /** Rows that are not in the generated order */
  reordered: Rows;
  /** Lines that are not rows */
  broken: Rows;
  /** Rows of tasks that the file has more than once */
  repeated: Rows;
  blank: {
    count: number;
    /** The first line numbers */
    first: number[];
  };
  /** Whether the last line has no line break */
  unended: boolean;
}

export interface Rows {
  count: number;
  /** The first rows or lines, at most 10 */
  first: {
    task: string;
    /** Line number in the file */
    line: number;
  }[];
}

export interface ChangedRow {
  /** Task, such as `train[3] 'day-3'` */
  task: string;
  /** Line number in the file */
  line: number;
  fields: {
    /** Field, such as `prompt` */
    field: string;
    /** Existing text around the first difference; null if there is none */
    before: string | null;
    /** Generated text around the first difference; null if there is none */
    after: string | null;
  }[];
}

export interface CheckFailure {
  /** The problem */
  what: string;
  /** The kind of error, for programs */
  code: ErrorCode;
  /** Place of the problem: a file, a URL or a task */
  where?: string | undefined;
  /** Further lines, such as each invalid value */
  details: string[];
  /** What to do about it */
  fix?: string | undefined;
  /** Name of the server */
  name: string;
}

export interface UpdatedFolder {
  /** Name of the server */
  name: string;
  /** Absolute path of the folder */
  folder: string;
  /** `planned`: with `--dry-run` */
  status: 'wrote' | 'unchanged' | 'planned';
  /** Set if gymgen itself changed since the folder was written */
  generator?: Revisions | undefined;
  rows: Split[];
  /** Settings of the existing config that were kept, by name */
  kept: Record<string, string | number>;
  /** Rows with edited prompts that were kept */
  keptPrompts: number;
  /** Files with manual edits that were kept */
  edited: Difference[];
  /** Every file of the folder; with `--dry-run` */
  plan?: PlannedFile[] | undefined;
}

export interface FailedFolder {
  /** Name of the server */
  name: string;
  status: 'failed';
  error: ErrorParts;
}

export interface ErrorParts {
  /** The problem */
  what: string;
  /** The kind of error, for programs */
  code: ErrorCode;
  /** Place of the problem: a file, a URL or a task */
  where?: string | undefined;
  /** Further lines, such as each invalid value */
  details: string[];
  /** What to do about it */
  fix?: string | undefined;
}

export interface BatchJob {
  /** Source as passed, without credentials */
  source: string;
  /** `same` and `differs`: with `--check`; `skipped`: not started */
  status: 'wrote' | 'unchanged' | 'same' | 'differs' | 'failed' | 'skipped';
  /** Name of the server, if known */
  name?: string | undefined;
  /** Number of rows */
  rows?: number | undefined;
  /** Number of toolsets */
  toolsets?: number | undefined;
  /** With `--check`: what differs */
  check?: CheckedFolder | undefined;
  error?: ErrorParts | undefined;
}
