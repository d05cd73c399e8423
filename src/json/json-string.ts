import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { longStrings } from './long-strings.js';

/** Text that may not be decoded yet. `String(text)` decodes it. */
export type LazyString = string | { toString(): string; toJSON(): string };

/** A string of a JSON text, kept in its original bytes. `safeJson` would write the same bytes. */
export class JsonString {
  /**
   * @param start index of the opening quote
   * @param end index after the closing quote
   */
  constructor(
    readonly data: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}

  toString(): string {
    return JSON.parse(this.data.toString('utf8', this.start, this.end));
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Whether text is not decoded yet. It is then well-formed, and not empty. */
export function isUndecoded(text: unknown): text is JsonString {
  return text instanceof JsonString;
}

/** Minimum length, in bytes, of a string kept in raw form. Decoding and encoding a shorter one takes less time than keeping it. */
const LONG = 1024;
/** Placeholder prefix for a long string, followed by its number; random, so server data cannot contain it. */
const MARK = `${randomUUID()}#`;

/**
 * Parses JSON as JSON.parse does, except for long strings, which make up most of a page of tasks and are written unchanged.
 * Each becomes a JsonString, which is decoded only on demand. A string that `safeJson` would write differently becomes an
 * ordinary string.
 * @throws SyntaxError if it is not JSON, or not UTF-8
 */
export function parseJson(data: Buffer): unknown {
  if (!isUtf8(data)) throw new SyntaxError('not UTF-8');
  const places = longStrings(data, LONG);
  if (places.length === 0) return JSON.parse(data.toString());
  let text = '';
  let from = 0;
  for (let at = 0; at < places.length; at += 2) {
    text += `${data.toString('utf8', from, places[at])}"${MARK}${at}"`;
    from = places[at + 1] as number;
  }
  return withStrings(JSON.parse(text + data.toString('utf8', from)), data, places);
}

/** Replaces the placeholders. Not recursive, because the server chooses how deeply its JSON is nested. */
function withStrings(value: unknown, data: Buffer, places: readonly number[]): unknown {
  const root = { value };
  const left: object[] = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const members = node as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === 'string') {
        if (!member.startsWith(MARK)) continue;
        const at = Number(member.slice(MARK.length));
        members[key] = new JsonString(data, places[at] as number, places[at + 1] as number);
      } else if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
  return root.value;
}
