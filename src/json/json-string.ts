import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { longStrings } from './long-strings.js';

/** Text that may not be decoded yet. `String(text)` decodes it. */
export type LazyString = string | { toString(): string; toJSON(): string };

/** A string of a JSON text, kept as the bytes that it came in: they are what `safeJson` would make of it. */
export class JsonString {
  /** @param start of its opening quote, @param end behind its closing one */
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

/** Bytes from which on a string is kept as it came; a shorter one takes longer to keep than to decode and to spell again. */
const LONG = 1024;
/** Stands for a string that is; followed by its number. Nobody outside can know it. */
const MARK = `${randomUUID()}#`;

/** A JSON text whose long strings were found. */
export interface ScannedJson {
  /** The text as it came. */
  data: Buffer;
  /** The same with a mark and a number in place of each long string. */
  text: string;
  mark: string;
  /** Where each long string begins, at its opening quote, and ends, behind its closing one. */
  places: number[];
}

/**
 * Reads JSON as JSON.parse does, but for its long strings, which are most of a page of tasks and are to be written again as
 * they are: each is a JsonString, and never decoded unless somebody asks. One that `safeJson` would spell otherwise is an
 * ordinary string.
 * @throws SyntaxError where it isn't JSON, or isn't UTF-8
 */
export function parseJson(data: Buffer): unknown {
  return parseScanned(scanJson(data));
}

/**
 * The first half of that, which takes most of its time.
 * @throws SyntaxError where it isn't UTF-8
 */
export function scanJson(data: Buffer): ScannedJson {
  if (!isUtf8(data)) throw new SyntaxError('it is not UTF-8');
  const places = longStrings(data, LONG);
  let text = '';
  let from = 0;
  for (let at = 0; at < places.length; at += 2) {
    text += `${data.toString('utf8', from, places[at])}"${MARK}${at}"`;
    from = places[at + 1] as number;
  }
  return { data, text: text + data.toString('utf8', from), mark: MARK, places };
}

/**
 * The second half.
 * @throws SyntaxError where it isn't JSON
 */
export function parseScanned({ data, text, mark, places }: ScannedJson): unknown {
  const value: unknown = JSON.parse(text);
  return places.length === 0 ? value : withStrings(value, data, mark, places);
}

/** Puts the strings in place. Not recursive: how deep a server's JSON goes is the server's choice. */
function withStrings(value: unknown, data: Buffer, mark: string, places: readonly number[]): unknown {
  const root = { value };
  const left: object[] = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const members = node as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === 'string') {
        if (!member.startsWith(mark)) continue;
        const at = Number(member.slice(mark.length));
        members[key] = new JsonString(data, places[at] as number, places[at + 1] as number);
      } else if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
  return root.value;
}
