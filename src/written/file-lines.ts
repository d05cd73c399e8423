import type { FileHandle } from 'node:fs/promises';
import { openNoFollow } from '../files.js';
import { lineBatches } from '../json/lines.js';

/** Reads a file line by line, with one line of lookahead. */
export class FileLines {
  private readonly batches: AsyncGenerator<string[]>;
  private batch: string[] = [];
  private at = 0;

  private constructor(private readonly file: FileHandle | undefined) {
    this.batches = lineBatches(file?.createReadStream({ highWaterMark: 32 * 1024 }) ?? empty());
  }

  /** Anything that is not a regular file, a symlink included, has no lines. */
  static async open(path: string): Promise<FileLines> {
    return new FileLines(await openNoFollow(path));
  }

  /** The next line, without consuming it; undefined at the end. */
  async peek(): Promise<string | undefined> {
    while (this.at === this.batch.length) {
      const { done, value } = await this.batches.next();
      if (done) return undefined;
      this.batch = value;
      this.at = 0;
    }
    return this.batch[this.at];
  }

  /** Consumes the next line; undefined at the end. */
  async take(): Promise<string | undefined> {
    const line = await this.peek();
    if (line !== undefined) this.at += 1;
    return line;
  }

  async close(): Promise<void> {
    await this.file?.close(); // closes its stream, too
  }
}

async function* empty(): AsyncGenerator<Buffer> {}
