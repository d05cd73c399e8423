import { LIMITS, limitMessage } from '../limits.js';

const LF = 0x0a;

/** What a file without line ends can make us hold. */
const LONGEST = LIMITS.lineBytes;

export class LineTooLong extends Error {
  constructor() {
    super(limitMessage('lineBytes'));
  }
}

/**
 * The lines of a stream, without their ends (LF or CR LF), as many at a time as come with one chunk: a million lines are
 * not a million steps of a generator.
 * @param decode of whole lines, the first of which has the number `line`; by default, invalid UTF-8 becomes U+FFFD
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
 * The bytes of a stream cut at line ends, as many at a time as come with one chunk; the last line end of each is left out.
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

/** The lines of a text whose last one has no end. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}
