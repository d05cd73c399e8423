import type { PlanEntry } from '../output/index.js';

/** A file that differs from the generated one. */
export interface FileDifference extends PlanEntry {
  /** For text: lines of a unified diff from the existing to the generated file, up to a limit. */
  diff?: string[];
  /** For rows. */
  rows?: RowsDifference;
}

/** A number of tasks, and the names of the first. */
export interface Named {
  count: number;
  first: { task: string; line: number }[];
}

/** The differences between existing and generated rows. */
export interface RowsDifference {
  /** Generated rows that the file does not have, by their line in the generated file. */
  added: Named;
  /** Rows of the file that are no longer generated. */
  removed: Named;
  changed: { count: number; first: RowChange[]; fields: Record<string, number> };
  /** Rows that differ only in their index. */
  moved: Named;
  /** Rows that are not in the generated order. */
  reordered: Named;
  /** Lines that are not rows. */
  broken: Named;
  /** Rows of tasks that are also on another line. */
  repeated: Named;
  /** Blank lines: their count, and the numbers of the first. */
  blank: { count: number; first: number[] };
  /** Whether the last line has no line break. */
  unended: boolean;
}

export interface RowChange {
  /** Such as `train[3] 'day-3'`. */
  task: string;
  line: number;
  fields: FieldChange[];
}

export interface FieldChange {
  /** Such as `prompt`, or `tool 'submit': parameters`. */
  field: string;
  /** The text around the first difference; null if there is no such field. */
  before: string | null;
  after: string | null;
}
