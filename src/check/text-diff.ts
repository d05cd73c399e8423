import { structuredPatch } from 'diff';
import { around } from './around.js';

const LINES = 200;
const LINE = 160;
/** Past this many changed lines, what a diff would say is "all of it", and finding the shortest takes long. */
const EDITS = 1000;
/** A diff keeps everything else waiting, signals too. */
const LONGEST_MS = 500;

/** The lines of a unified diff without its two file names; CR LF is LF. Long lines are cut around what differs in them. */
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
    // Where as many lines came as went, they are the same ones, changed.
    if (removed === added) {
      for (let pair = at; pair < at + removed; pair += 1) {
        const [one, other] = around((lines[pair] ?? '').slice(1), (lines[pair + removed] ?? '').slice(1), LINE);
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
