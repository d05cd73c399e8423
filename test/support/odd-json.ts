/** A seeded generator of whole numbers below a bound (mulberry32), so that failures are reproducible. */
export function dice(seed: number): (bound: number) => number {
  let state = (seed + 1) * 0x9e3779b9;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

const KEYS =
  'type data observation metadata task tools name input_schema done reward error tasks num_tasks id prompt index split code __proto__';
const SCALARS =
  'null true 0 -1 3 40 1.0 1e400 9223372036854775807 "" "all" "error" "observation" "a/b" "\\ud800" "CAPACITY_REACHED" "end_turn" [] {}';

/** JSON text with the keys of OpenEnv's messages and random values. */
export function oddJson(roll: (bound: number) => number, depth = 0): string {
  const pick = (words: string) => words.split(' ')[roll(words.split(' ').length)] as string;
  const several = () => Array.from({ length: roll(5) });
  const kind = depth > 4 ? 0 : roll(4);
  if (kind === 0) return pick(SCALARS);
  if (kind === 1) return `[${several().map(() => oddJson(roll, depth + 1))}]`;
  return `{${several().map(() => `"${pick(KEYS)}":${oddJson(roll, depth + 1)}`)}}`;
}

/** A value as JSON text, with one part replaced by odd JSON. */
export function mutated(value: unknown, roll: (bound: number) => number): string {
  const copy = { root: structuredClone(value) };
  let [holder, key]: [Record<string, unknown>, string] = [copy, 'root'];
  for (;;) {
    const inner = holder[key];
    const keys = typeof inner === 'object' && inner !== null ? Object.keys(inner) : [];
    if (keys.length === 0 || roll(4) === 0) break;
    [holder, key] = [inner as Record<string, unknown>, keys[roll(keys.length)] as string];
  }
  holder[key] = '@odd@';
  return JSON.stringify(copy.root).replace('"@odd@"', () => oddJson(roll));
}
