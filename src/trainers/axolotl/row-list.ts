/** Lines that a finding names. */
const NAMED = 10;

/** Rows of a file, by their line numbers from 1. */
export interface RowList {
  count: number;
  /** The first lines, at most 10. */
  first: number[];
}

/** Collects line numbers in ascending order. A line that is added twice counts once. */
export class Rows {
  private readonly list: RowList = { count: 0, first: [] };
  private last = 0;

  add(line: number): void {
    if (line === this.last) return;
    this.last = line;
    this.list.count += 1;
    if (this.list.first.length < NAMED) this.list.first.push(line);
  }

  get all(): RowList | undefined {
    return this.list.count === 0 ? undefined : this.list;
  }
}
