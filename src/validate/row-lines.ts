import type { FileHandle } from 'node:fs/promises';
import { LIMITS } from '../limits.js';
import type { RowLine } from '../rules/index.js';

const LF = 0x0a;
const CHUNK = 256 * 1024;

/**
 * The lines of a file, in one batch per chunk. Memory is bounded by the limit, whatever the file contains. Text after the last
 * line break is a line, too.
 */
export async function* rowLines(file: FileHandle, longest: number = LIMITS.rowBytes): AsyncGenerator<RowLine[]> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of file.createReadStream({ highWaterMark: CHUNK, autoClose: false })) {
    const lines: RowLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      size += end - start;
      const last = chunk.subarray(start, end);
      lines.push(size > longest ? 'too-long' : rest.length === 0 ? last : Buffer.concat([...rest, last]));
      [rest, size, start] = [[], 0, end + 1];
    }
    size += chunk.length - start;
    if (size > longest) rest = [];
    else if (start < chunk.length) rest.push(chunk.subarray(start));
    yield lines;
  }
  if (size > 0) yield [size > longest ? 'too-long' : Buffer.concat(rest)];
}
