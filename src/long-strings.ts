const QUOTE = 0x22;

/** Where the scan of a string is. The numbers are offsets of rows in `NEXT`, which has a cell for each byte. */
enum State {
  /** Behind the closing quote of a string that `safeJson` writes byte for byte. */
  End = 0,
  /** Behind the closing quote of any other string. */
  OtherEnd = 1 << 8,
  Other = 2 << 8,
  OtherEscape = 3 << 8,
  Plain = 4 << 8,
  Escape = 5 << 8,
  Colon = 6 << 8,
  Hash = 7 << 8,
  TwoHashes = 8 << 8,
  /** Behind the first byte or bytes of characters of which some are hidden. */
  C2 = 9 << 8,
  D8 = 10 << 8,
  DB = 11 << 8,
  DC = 12 << 8,
  E0 = 13 << 8,
  E1 = 14 << 8,
  E2 = 15 << 8,
  E280 = 16 << 8,
  E281 = 17 << 8,
  EF = 18 << 8,
  F0 = 19 << 8,
}

const NEXT = new Uint16Array(20 << 8);

function on(state: State, bytes: Iterable<number>, next: State): void {
  for (const byte of bytes) NEXT[state + byte] = next;
}

function* range(first: number, last: number): Generator<number> {
  for (let byte = first; byte <= last; byte += 1) yield byte;
}

on(State.Other, range(0, 0xff), State.Other);
on(State.Other, [QUOTE], State.OtherEnd);
on(State.Other, Buffer.from('\\'), State.OtherEscape);
on(State.OtherEscape, range(0, 0xff), State.Other);
for (let state = State.Plain; state <= State.F0; state += 1 << 8) {
  on(state, range(0, 0xff), State.Plain);
  on(state, range(0, 0x1f), State.Other);
  on(state, [QUOTE], State.End);
  on(state, Buffer.from('\\'), State.Escape);
  on(state, Buffer.from(':'), State.Colon);
  on(state, Buffer.from('#'), State.Hash);
  on(state, [0x7f], State.Other);
  on(state, [0xc2], State.C2);
  on(state, [0xd8], State.D8);
  on(state, [0xdb], State.DB);
  on(state, [0xdc], State.DC);
  on(state, [0xe0], State.E0);
  on(state, [0xe1], State.E1);
  on(state, [0xe2], State.E2);
  on(state, [0xef], State.EF);
  on(state, [0xf0], State.F0);
  on(state, range(0xf3, 0xff), State.Other); // U+C0000 and up
}
on(State.Escape, range(0, 0xff), State.Other);
on(State.Escape, Buffer.from('"\\bfnrt'), State.Plain); // as JSON.stringify escapes
on(State.Colon, Buffer.from(':'), State.Other);
on(State.Hash, Buffer.from('#'), State.TwoHashes);
on(State.TwoHashes, Buffer.from('#'), State.TwoHashes);
on(State.TwoHashes, Buffer.from('['), State.Other);
// The ranges of hidden-characters.ts, rounded up to whole blocks if the characters beside them are rare.
on(State.C2, range(0x80, 0x9f), State.Other); // U+0080 to U+009F
on(State.C2, [0xad], State.Other);
on(State.D8, range(0x80, 0x85), State.Other); // U+0600 to U+0605
on(State.D8, [0x9c], State.Other); // U+061C
on(State.DB, [0x9d], State.Other); // U+06DD
on(State.DC, [0x8f], State.Other); // U+070F
on(State.E0, [0xa2, 0xa3], State.Other); // U+0880 to U+08FF
on(State.E1, [0xa0], State.Other); // U+1800 to U+183F
on(State.E2, [0x80], State.E280);
on(State.E2, [0x81], State.E281);
on(State.E280, range(0x8b, 0x8f), State.Other); // U+200B to U+200F
on(State.E280, range(0xa8, 0xae), State.Other); // U+2028 to U+202E
on(State.E281, range(0xa0, 0xaf), State.Other); // U+2060 to U+206F
on(State.EF, [0xbb, 0xbf], State.Other); // U+FEC0 to U+FEFF, U+FFC0 to U+FFFF
on(State.F0, range(0x80, 0x9e), State.Other); // U+10000 to U+1EFFF

/**
 * Finds the long strings of a JSON text that `safeJson` would write byte for byte, except for a few with rare characters.
 * A table of states has one jump for each byte, and so no branch that the processor could guess wrong.
 * @param json UTF-8; if it is not valid JSON, the places are arbitrary, but each begins and ends with a quote
 * @param long minimum length in bytes, quotes included
 * @returns the start and the end (exclusive) of each string in turn
 */
export function longStrings(json: Buffer, long: number): number[] {
  const places: number[] = [];
  for (let start = json.indexOf(QUOTE); start !== -1; ) {
    let state = State.Plain;
    let at = start + 1;
    for (; at < json.length && state > State.OtherEnd; at += 1) state = NEXT[state + (json[at] as number)] as State;
    if (state === State.End && at - start >= long) places.push(start, at);
    start = json.indexOf(QUOTE, at);
  }
  return places;
}
