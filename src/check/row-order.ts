/** Upper bound on the rows whose order is compared, so that memory is bounded. */
const COMPARED = 10_000;

/** Finds rows that are not in the generated order, among those that are on different lines of the two files. */
export class RowOrder<R extends { readonly line: number }> {
  private readonly pairs: { row: R; after: number }[] = [];

  /**
   * @param row of the existing file
   * @param after its line in the generated file
   */
  add(row: R, after: number): void {
    if (row.line !== after && this.pairs.length < COMPARED) this.pairs.push({ row, after });
  }

  /**
   * The fewest rows that have to move to restore the order. Of two rows that changed places, both. Rows that other lines have
   * shifted are in order.
   */
  misplaced(): R[] {
    const [one, other, ...more] = this.pairs;
    const areSwapped =
      one && other && more.length === 0 && one.row.line === other.after && other.row.line === one.after;
    const sorted = this.pairs.toSorted((a, b) => a.row.line - b.row.line);
    if (areSwapped) return sorted.map(({ row }) => row);
    const inOrder = longestIncreasing(sorted.map(({ after }) => after));
    return sorted.filter((_, at) => !inOrder.has(at)).map(({ row }) => row);
  }
}

/** The indices of a longest increasing subsequence. */
function longestIncreasing(values: readonly number[]): Set<number> {
  const ends: number[] = []; // by length, the index of the smallest last value
  const previous: (number | undefined)[] = [];
  for (const [at, value] of values.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1];
    ends[low] = at;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) found.add(at);
  return found;
}
