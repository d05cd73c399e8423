import { hiddenCharacters } from '../display-text.js';

const QUOTE_BYTE = 0x22;
const COLON_BYTE = 0x3a;
const BRACKET_BYTE = 0x5b;
const QUOTE = 1;
const ESCAPE = 2;
/** A byte that `safeJson` would write differently. */
const CHANGED = 4;
/** The first byte of `::` or `##[`, which `safeJson` writes differently. */
const PAIR = 8;
/** The first byte of characters that may be hidden. */
const LEAD = 16;

const HIDDEN = hiddenCharacters();

/** The class of each byte inside a JSON string; 0 for most. */
const CLASSES = new Uint8Array(256);
CLASSES.fill(CHANGED, 0, 0x20);
CLASSES[0x7f] = CHANGED;
for (const byte of [0xc2, 0xd8, 0xdb, 0xdc, 0xe0, 0xe1, 0xe2, 0xef, 0xf0, 0xf3]) CLASSES[byte] = LEAD;
for (const [character, found] of Object.entries({ '"': QUOTE, '\\': ESCAPE, ':': PAIR, '#': PAIR }))
  CLASSES[character.charCodeAt(0)] = found;

/** The class of each byte after a backslash. JSON.stringify writes these escapes; it may write a `\u` escape differently. */
const ESCAPED = new Uint8Array(256).fill(CHANGED);
for (const byte of Buffer.from('"\\bfnrt')) ESCAPED[byte] = 0;

/**
 * Finds the long strings of a JSON text that `safeJson` would write byte for byte.
 * @param json UTF-8; if it is not valid JSON, the result is arbitrary, but each string begins and ends with a quote
 * @param long minimum length in bytes, quotes included
 * @returns the start and the end (exclusive) of each string in turn
 */
export function longStrings(json: Buffer, long: number): number[] {
  const places: number[] = [];
  for (let start = json.indexOf(QUOTE_BYTE); start !== -1; ) {
    let seen = 0;
    let end = start + 1;
    for (; end < json.length; end += 1) {
      const found = CLASSES[json[end] as number] as number;
      if (found === 0) continue; // most bytes
      if (found === QUOTE) break;
      if (found === ESCAPE) {
        end += 1;
        seen |= ESCAPED[json[end] as number] as number;
      } else if (found !== PAIR) seen |= found;
      else if (isCommand(json, end)) seen |= CHANGED;
    }
    end += 1;
    if (end <= json.length && end - start >= long && isUnchanged(json, start, end, seen)) places.push(start, end);
    start = json.indexOf(QUOTE_BYTE, end);
  }
  return places;
}

/** Whether `::` or `##[` begins at an index. */
function isCommand(json: Buffer, at: number): boolean {
  return json[at + 1] === json[at] && (json[at] === COLON_BYTE || json[at + 2] === BRACKET_BYTE);
}

/** @param seen the classes of the bytes in the string */
function isUnchanged(json: Buffer, start: number, end: number, seen: number): boolean {
  if ((seen & CHANGED) !== 0) return false;
  return (seen & LEAD) === 0 || json.toString('utf8', start, end).search(HIDDEN) === -1;
}
