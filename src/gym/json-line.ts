import { unicodeEscape } from '../rules/text.js';

/** Line ends to Python's `splitlines` and to YAML, legal in JSON strings as they are. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** JSON text that is one line for every reader. These characters only ever stand in strings, where an escape is the same. */
export function oneLine(json: string): string {
  return json.replace(LINE_ENDS, unicodeEscape);
}

/** JSON text that somebody wrote, on one line: CR and LF stand between tokens only, where a blank does as well. */
export function joinedLines(json: string): string {
  return oneLine(json.trim().replace(/[\r\n]+/g, ' '));
}

/** A value as JSON on one line. */
export function jsonLine(value: unknown): string {
  return oneLine(JSON.stringify(value));
}
