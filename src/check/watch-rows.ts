import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { lineBatches } from '../lines.js';
import type { RowsComparison } from './rows-comparison.js';

/**
 * Hands rows on as they come, and compares them with those of a file. As long as both are the same bytes, none is looked
 * at: that is what a check mostly finds, and as fast as it can be found.
 * @param path of the file; one that isn't there has nothing to compare
 */
export async function* watchRows(
  rows: AsyncIterable<string>,
  path: string,
  comparison: RowsComparison,
): AsyncGenerator<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) {
    yield* rows;
    return;
  }
  let same = 0;
  let lines: Lines | undefined;
  try {
    for await (const chunk of rows) {
      if (!lines) {
        const bytes = Buffer.from(chunk);
        if (await isAt(file, same, bytes)) same += bytes.length;
        else lines = new Lines(path, same, await linesBefore(path, same), comparison);
      }
      await lines?.compare(chunk);
      yield chunk;
    }
    lines ??= new Lines(path, same, 0, comparison);
    await lines.finish();
  } finally {
    lines?.close();
    await file.close();
  }
}

async function isAt(file: FileHandle, position: number, expected: Buffer): Promise<boolean> {
  const found = Buffer.allocUnsafe(expected.length);
  let read = 0;
  while (read < found.length) {
    const { bytesRead } = await file.read(found, read, found.length - read, position + read);
    if (bytesRead === 0) return false;
    read += bytesRead;
  }
  return found.equals(expected);
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
  private readonly stream;
  private readonly batches: AsyncGenerator<string[]>;
  private batch: string[] = [];
  private at = 0;

  constructor(
    path: string,
    start: number,
    private number: number,
    private readonly comparison: RowsComparison,
  ) {
    this.stream = createReadStream(path, { start, highWaterMark: 256 * 1024 });
    this.batches = lineBatches(this.stream);
  }

  async compare(chunk: string): Promise<void> {
    for (const line of chunk.split('\n').slice(0, -1)) {
      this.number += 1;
      this.comparison.add(await this.next(), line, this.number);
    }
  }

  /** Lines that would not be there. */
  async finish(): Promise<void> {
    for (let line = await this.next(); line !== undefined; line = await this.next()) {
      this.number += 1;
      this.comparison.add(line, undefined, this.number);
    }
  }

  close(): void {
    this.stream.destroy();
  }

  private async next(): Promise<string | undefined> {
    while (this.at === this.batch.length) {
      const { done, value } = await this.batches.next();
      if (done) return undefined;
      this.batch = value;
      this.at = 0;
    }
    const line = this.batch[this.at];
    this.at += 1;
    return line;
  }
}
