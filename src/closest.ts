/** Longer names are not compared: they are no typing errors. */
const LONGEST = 100;

/** The name that a typing error was most likely meant to be; undefined if none is close. */
export function closest(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .slice(0, 1000)
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const most = typed.length < 3 ? 0 : Math.max(1, Math.floor(typed.length / 3));
  return near && near.distance <= most ? near.name : undefined;
}

/** Insertions, deletions and replacements from one text to the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  if (one.length > LONGEST || other.length > LONGEST) return Number.POSITIVE_INFINITY;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (before[at - 1] as number) + (one[row - 1] === other[at - 1] ? 0 : 1);
      now.push(Math.min(replaced, (before[at] as number) + 1, (now[at - 1] as number) + 1));
    }
    before = now;
  }
  return before[other.length] as number;
}
