import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { endianness } from 'node:os';

/** A string of a JSON text, kept as the bytes that it came in: they are what JSON.stringify would make of it, on one line. */
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

/** Bytes from which on a string is kept as it came; a shorter one takes longer to keep than to decode and to spell again. */
const LONG = 1024;
/** Stands for a string that is; followed by its number. Nobody outside can know it. */
const MARK = `${randomUUID()}#`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a byte of a string is, as far as it needs a second look. */
const PLAIN = 0;
const OTHER = 3;
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE || byte === BACKSLASH) return byte;
  // Controls, which JSON doesn't allow, and what U+0085, U+2028 and U+2029 begin with.
  return byte < 0x20 || byte === 0xc2 || byte === 0xe2 ? OTHER : PLAIN;
});
/** Whether JSON.stringify writes this after a backslash; `u` it writes for controls only. */
const ESCAPES = Uint8Array.from({ length: 256 }, (_, byte) => Number('"\\bfnrt'.includes(String.fromCharCode(byte))));

/**
 * Reads JSON as JSON.parse does, but for its long strings, which are most of a page of tasks and are to be written again as
 * they are: each is a JsonString, and never decoded unless somebody asks. One that JSON.stringify would spell otherwise is an
 * ordinary string.
 * @throws SyntaxError where it isn't JSON, or isn't UTF-8
 */
export function parseJson(data: Buffer): unknown {
  if (!isUtf8(data)) throw new SyntaxError('it is not UTF-8');
  const kept: JsonString[] = [];
  const words = new Words(data);
  let text = '';
  let from = 0;
  for (let at = nextQuote(data, 0); at < data.length; at = nextQuote(data, at)) {
    const start = at;
    const end = endOfString(data, words, start);
    at = Math.abs(end);
    if (end < start + LONG) continue;
    text += `${data.toString('utf8', from, start)}"${MARK}${kept.length}"`;
    kept.push(new JsonString(data, start, end));
    from = end;
  }
  const value: unknown = JSON.parse(text + data.toString('utf8', from));
  return kept.length === 0 ? value : withStrings(value, kept);
}

function nextQuote(data: Buffer, from: number): number {
  let at = from;
  while (at < data.length && data[at] !== QUOTE) at += 1;
  return at;
}

/** Behind the closing quote of a string; negative where JSON.stringify would spell it otherwise, or it is no string at all. */
function endOfString(data: Buffer, words: Words, start: number): number {
  let usual = 1;
  const { length } = data;
  for (let at = words.nextMarked(start + 1); at < length; at = words.nextMarked(at + 1)) {
    const kind = KINDS[data[at] as number];
    if (kind === PLAIN) continue;
    if (kind === QUOTE) return usual === 1 ? at + 1 : -at - 1;
    if (kind === BACKSLASH) {
      at += 1;
      usual &= ESCAPES[data[at] as number] as number;
    } else if (isOdd(data, at)) usual = 0;
  }
  return -length;
}

/** Four bytes at once: most of a string is plain ASCII. */
class Words {
  private readonly words: Int32Array;
  /** Bytes before the first whole word. */
  private readonly odd: number;

  constructor(data: Buffer) {
    this.odd = -data.byteOffset & 3;
    // Where the first byte of a word is its highest, each byte is looked at.
    const whole = endianness() === 'LE' ? Math.max(0, data.length - this.odd) >> 2 : 0;
    this.words = whole === 0 ? new Int32Array(0) : new Int32Array(data.buffer, data.byteOffset + this.odd, whole);
  }

  /** From a byte on, the first that may need a second look. */
  nextMarked(at: number): number {
    const { words, odd } = this;
    let word = (at - odd) >> 2;
    if (at < odd || word >= words.length) return at;
    let found = marks(words[word] as number) & (-1 << (((at - odd) & 3) * 8));
    while (found === 0) {
      word += 1;
      if (word === words.length) return (word << 2) + odd;
      found = marks(words[word] as number);
    }
    return (word << 2) + odd + ((31 - Math.clz32(found & -found)) >> 3);
  }
}

/**
 * The highest bit of each of four bytes that is a quote, a backslash, a control or beyond ASCII; some others above one of those
 * may have theirs set, too.
 */
function marks(word: number): number {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found =
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes) |
    ((word - 0x20202020) & ~word) |
    word;
  return found & 0x80808080;
}

/** A control; or U+0085, U+2028 or U+2029, which some readers take for the end of a line. */
function isOdd(data: Buffer, at: number): boolean {
  if (data[at] === 0xc2) return data[at + 1] === 0x85;
  if (data[at] === 0xe2) return data[at + 1] === 0x80 && (data[at + 2] === 0xa8 || data[at + 2] === 0xa9);
  return true;
}

/** Puts the strings in place. Not recursive: how deep a server's JSON goes is the server's choice. */
function withStrings(value: unknown, kept: readonly JsonString[]): unknown {
  const root = { value };
  const left: object[] = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const members = node as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === 'string') {
        if (member.startsWith(MARK)) members[key] = kept[Number(member.slice(MARK.length))];
      } else if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
  return root.value;
}
