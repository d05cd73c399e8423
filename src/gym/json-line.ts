import { escapeJson, safeJson } from '../display-text.js';

/** JSON text that somebody wrote, on one line: CR and LF stand between tokens only, where a blank does as well. */
export function joinedLines(json: string): string {
  return escapeJson(json.trim().replace(/[\r\n]+/g, ' '));
}

/** A value as JSON on one line. */
export function jsonLine(value: unknown): string {
  return safeJson(value);
}
