import { LIMITS, limitMessage } from '../limits.js';

const LF = 0x0a;

/** Upper bound on the bytes that a file without line breaks can make gymgen hold. */
const LONGEST = LIMITS.lineBytes;

export class LineTooLong extends Error {
  constructor() {
    super(limitMessage('lineBytes'));
  }
}

/**
 * The lines of a stream, without their line breaks (LF or CR LF), in one batch per chunk: a generator step for each of a million
 * lines would be slow.
 * @param decode decodes whole lines; `line` is the number of the first one. By default, invalid UTF-8 becomes U+FFFD
 */
export async function* lineBatches(
  source: AsyncIterable<Buffer>,
  decode: (bytes: Buffer, line: number) => string = (bytes) => bytes.toString(),
): AsyncGenerator<string[]> {
  let line = 1;
  for await (const bytes of wholeLines(source)) {
    const lines = linesOf(decode(bytes, line));
    line += lines.length;
    yield lines;
  }
}

/**
 * The bytes of a stream in pieces of whole lines, one per chunk. A piece does not include its last line break.
 * @throws LineTooLong
 */
export async function* wholeLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LF);
    if (end !== -1) {
      yield Buffer.concat([...rest, chunk.subarray(0, end)]);
      rest = [];
      size = 0;
    }
    rest.push(chunk.subarray(end + 1));
    size += chunk.length - end - 1;
    if (size > LONGEST) throw new LineTooLong();
  }
  if (size > 0) yield Buffer.concat(rest);
}

/** The lines of a text that does not end with a line break. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}
