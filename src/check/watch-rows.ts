import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { lineBatches } from '../lines.js';
import { FileLines } from '../root/index.js';
import type { RowsComparison } from './rows-comparison.js';

/**
 * Hands rows on as they come, and compares them with those of a file. As long as both are the same bytes, none is looked
 * at: that is what a check mostly finds, and as fast as it can be found.
 * @param path of the file; one that isn't there has nothing to compare
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
  const file = await open(path).catch(() => undefined);
  if (!file) {
    yield* rows;
    return;
  }
  const reader = new Reader(file);
  let same = 0;
  let lines: Lines | undefined;
  try {
    for await (const chunk of rows) {
      if (!lines) {
        if (await reader.isAt(same, chunk)) same += chunk.length;
        else lines = new Lines(path, same, await linesBefore(path, same), comparison);
      }
      await lines?.compare(chunk);
      yield chunk;
    }
    if (!lines && (await file.stat()).size === same) {
      seen.same = true;
      return;
    }
    lines ??= new Lines(path, same, await linesBefore(path, same), comparison);
    await lines.finish();
  } finally {
    lines?.close();
    await file.close();
  }
}

/** Reads into one piece of memory, which a file of gigabytes would otherwise leave behind many times over. */
class Reader {
  private memory = Buffer.alloc(0);

  constructor(private readonly file: FileHandle) {}

  async isAt(position: number, expected: Buffer): Promise<boolean> {
    if (this.memory.length < expected.length) this.memory = Buffer.allocUnsafe(expected.length * 2);
    let read = 0;
    while (read < expected.length) {
      const { bytesRead } = await this.file.read(this.memory, read, expected.length - read, position + read);
      if (bytesRead === 0) return false;
      read += bytesRead;
    }
    return this.memory.subarray(0, read).equals(expected);
  }
}

/** How many lines end before a position. */
async function linesBefore(path: string, position: number): Promise<number> {
  let lines = 0;
  if (position === 0) return lines;
  for await (const batch of lineBatches(createReadStream(path, { end: position - 1 }))) lines += batch.length;
  return lines;
}

/** The lines of a file from a position on, side by side with those that would be there. */
class Lines {
  private readonly lines: FileLines;

  constructor(
    path: string,
    start: number,
    private number: number,
    private readonly comparison: RowsComparison,
  ) {
    this.lines = new FileLines(path, start);
  }

  async compare(chunk: Buffer): Promise<void> {
    for (const line of chunk.toString().split('\n').slice(0, -1)) {
      this.number += 1;
      this.comparison.add(await this.lines.take(), line, this.number);
    }
  }

  /** Lines that would not be there. */
  async finish(): Promise<void> {
    for (let line = await this.lines.take(); line !== undefined; line = await this.lines.take()) {
      this.number += 1;
      this.comparison.add(line, undefined, this.number);
    }
  }

  close(): void {
    this.lines.close();
  }
}
