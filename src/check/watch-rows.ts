import type { FileHandle } from 'node:fs/promises';
import { openNoFollow } from '../files.js';
import { LineTooLong, lineBatches } from '../json/lines.js';
import { overLimit } from '../limits.js';
import type { RowsComparison } from './rows-comparison.js';

const LF = 0x0a;

/**
 * Passes rows on, and compares them with the rows of a file: byte by byte up to the first chunk that differs, then line by
 * line.
 * @param path of the file, which need not exist
 */
export function watchRows(
  rows: AsyncIterable<Buffer>,
  path: string,
  comparison: RowsComparison,
): { rows: AsyncIterable<Buffer>; seen: { readonly same: boolean } } {
  const seen = { same: false };
  return { rows: watched(rows, path, comparison, seen), seen };
}

async function* watched(
  rows: AsyncIterable<Buffer>,
  path: string,
  comparison: RowsComparison,
  seen: { same: boolean },
): AsyncGenerator<Buffer> {
  const file = await openNoFollow(path).catch(() => undefined);
  if (!file) {
    yield* rows;
    return;
  }
  let bytes = 0; // number of bytes that are the same so far
  let line = 0;
  let rest: AsyncGenerator<string> | undefined;
  try {
    for await (const chunk of rows) {
      if (!rest && (await hasAt(file, bytes, chunk))) {
        bytes += chunk.length;
        line += lineCount(chunk);
      } else {
        rest ??= linesFrom(file, bytes, path);
        for (const after of linesOf(chunk)) {
          line += 1;
          comparison.add((await rest.next()).value, after, line);
        }
      }
      yield chunk;
    }
    const generated = line;
    for await (const before of rest ?? linesFrom(file, bytes, path)) {
      line += 1;
      comparison.add(before, undefined, line);
    }
    seen.same = !rest && line === generated;
    if (!seen.same && (await isUnended(file))) comparison.unended();
  } finally {
    await file.close();
  }
}

async function hasAt(file: FileHandle, position: number, bytes: Buffer): Promise<boolean> {
  const found = Buffer.allocUnsafe(bytes.length);
  const { bytesRead } = await file.read(found, 0, bytes.length, position);
  return bytesRead === bytes.length && found.equals(bytes);
}

function lineCount(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

/** A chunk is whole lines. */
function linesOf(chunk: Buffer): string[] {
  return chunk.toString('utf8', 0, chunk.length - 1).split('\n');
}

async function* linesFrom(file: FileHandle, start: number, path: string): AsyncGenerator<string, undefined> {
  try {
    for await (const lines of lineBatches(file.createReadStream({ start, autoClose: false }))) yield* lines;
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw overLimit('lineBytes', { where: path, fix: 'delete the file, and write the folder again' });
  }
}

async function isUnended(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  return size > 0 && !(await hasAt(file, size - 1, Buffer.of(LF)));
}
