import { structuredPatch } from 'diff';
import { cutAround } from './row-fields.js';

const LINES = 200;
const LINE = 160;
/** Upper bound on changed lines. A longer diff would be useless, and slow to compute. */
const EDITS = 1000;
/** A diff blocks the process, signal handlers included. */
const LONGEST_MS = 500;

/** The lines of a unified diff without file names. CR LF counts as LF. Long lines are cut around the difference. */
export function textDiff(before: string, after: string): string[] {
  const [old, fresh] = [before, after].map((text) => text.replaceAll('\r\n', '\n')) as [string, string];
  const patch = structuredPatch('', '', old, fresh, '', '', { context: 3, maxEditLength: EDITS, timeout: LONGEST_MS });
  if (!patch) return ['(nearly every line differs)'];
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...shortened(lines),
  ]);
  return lines.length <= LINES ? lines : [...lines.slice(0, LINES), `(${lines.length - LINES} more lines)`];
}

function shortened(lines: readonly string[]): string[] {
  if (lines.every((line) => line.length <= LINE)) return [...lines];
  const result = lines.map((line) => (line.length > LINE ? `${line.slice(0, LINE)}…` : line));
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, '-');
    const added = run(lines, at + removed, '+');
    // An equal number of removed and added lines is taken for changed lines.
    if (removed === added) {
      for (let pair = at; pair < at + removed; pair += 1) {
        const [one, other] = cutAround((lines[pair] ?? '').slice(1), (lines[pair + removed] ?? '').slice(1), LINE);
        result[pair] = `-${one}`;
        result[pair + removed] = `+${other}`;
      }
    }
    at += Math.max(1, removed + added);
  }
  return result;
}

function run(lines: readonly string[], from: number, sign: string): number {
  let at = from;
  while (lines[at]?.[0] === sign) at += 1;
  return at - from;
}
