/** Longer names are not compared. */
const LONGEST = 100;

/** The name that was most likely meant; undefined if none is close. */
export function closest(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .slice(0, 1000)
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const most = typed.length < 3 ? 0 : Math.max(1, Math.floor(typed.length / 3));
  return near && near.distance <= most ? near.name : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours from one text to the other (optimal string alignment). */
function editDistance(one: string, other: string): number {
  if (one.length > LONGEST || other.length > LONGEST) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const [above, earlier] = [rows[row - 1] as number[], rows[row - 2]];
    const now = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (above[at - 1] as number) + Number(one[row - 1] !== other[at - 1]);
      const isSwap = earlier && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const swapped = isSwap ? (earlier[at - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      now.push(Math.min(replaced, swapped, (above[at] as number) + 1, (now[at - 1] as number) + 1));
    }
    rows.push(now);
  }
  return rows[one.length]?.[other.length] as number;
}
