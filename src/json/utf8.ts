import { isUtf8 } from 'node:buffer';
import { UserError } from '../errors.js';

/** Byte order marks of UTF-16, in hex (Unicode 16, 2.6 and 23.8). */
const UTF16 = ['fffe', 'feff'];
const MARK = Buffer.from('\ufeff');
const FIX = 'save it as UTF-8';

/**
 * The text of a file that a user exported or edited, without a byte order mark. Editors and spreadsheets also write
 * Windows-1252 and UTF-16, which would be decoded wrongly.
 * @param bytes whole lines of the file
 * @param where path of the file
 * @param line number of the first line
 * @throws UserError naming the first line that is not UTF-8
 */
export function utf8Text(bytes: Buffer, where: string, line = 1): string {
  if (line === 1 && UTF16.includes(bytes.toString('hex', 0, 2))) throw notUtf8('file is UTF-16, not UTF-8', where);
  const isText = isUtf8(bytes);
  if (!isText || bytes.includes(0)) {
    const what = isText ? 'line contains a NUL character' : 'line is not UTF-8';
    throw notUtf8(what, `${where}:${line + invalidLine(bytes, isText ? lacksNul : isUtf8)}`);
  }
  return (line === 1 ? withoutMark(bytes) : bytes).toString();
}

/** The bytes of a text without a byte order mark, which JSON and YAML parsers reject. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === MARK[0] && bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
}

function lacksNul(bytes: Buffer): boolean {
  return !bytes.includes(0);
}

function notUtf8(what: string, where: string): UserError {
  return new UserError(what, { where, fix: FIX });
}

/** The index of the first invalid line, from 0. */
function invalidLine(bytes: Buffer, isValid: (line: Buffer) => boolean): number {
  let line = 0;
  for (let start = 0; start <= bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isValid(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return line;
}
