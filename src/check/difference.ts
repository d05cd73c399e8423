import type { PlanEntry } from '../output/index.js';

/** A file that is not as it would be written. */
export interface FileDifference extends PlanEntry {
  /** Of texts: lines of a unified diff, from what is there to what would be, cut where there are many. */
  diff?: string[];
  /** Of rows. */
  rows?: RowsDifference;
}

/** Tasks by what became of them: the first few by name, and how many. */
export interface Named {
  count: number;
  first: { task: string; line: number }[];
}

/** What differs between the rows that are there and those that would be. */
export interface RowsDifference {
  /** Generated rows that the file does not have, by their line in the generated file. */
  added: Named;
  /** Rows of the file that are no longer generated. */
  removed: Named;
  changed: { count: number; first: RowChange[]; fields: Record<string, number> };
  /** Rows whose index is another one, and nothing else. */
  moved: number;
  /** Lines that are no rows. */
  broken: Named;
  /** Rows of tasks that the file has on another line, too. */
  repeated: Named;
  /** Numbers of blank lines: the first few, and how many. */
  blank: { count: number; first: number[] };
  /** Whether the last line has no line break at its end. */
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
  /** Around the first place that differs; null where it isn't there. */
  before: string | null;
  after: string | null;
}
