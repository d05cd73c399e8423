import type { FileHandle } from 'node:fs/promises';
import { openNoFollow } from '../files.js';
import { lineBatches } from '../json/lines.js';

/** The lines of a file one by one, with a look at the next. */
export class FileLines {
  private readonly batches: AsyncGenerator<string[]>;
  private batch: string[] = [];
  private at = 0;

  private constructor(private readonly file: FileHandle | undefined) {
    this.batches = lineBatches(file?.createReadStream({ highWaterMark: 32 * 1024 }) ?? none());
  }

  /** Without lines if there is no regular file; a symlink is not followed. */
  static async open(path: string): Promise<FileLines> {
    return new FileLines(await openNoFollow(path));
  }

  /** The next line, which stays the next; undefined at the end. */
  async peek(): Promise<string | undefined> {
    while (this.at === this.batch.length) {
      const { done, value } = await this.batches.next();
      if (done) return undefined;
      this.batch = value;
      this.at = 0;
    }
    return this.batch[this.at];
  }

  async take(): Promise<string | undefined> {
    const line = await this.peek();
    if (line !== undefined) this.at += 1;
    return line;
  }

  async close(): Promise<void> {
    await this.file?.close(); // and its stream
  }
}

async function* none(): AsyncGenerator<Buffer> {}
