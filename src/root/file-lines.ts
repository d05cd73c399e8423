import { createReadStream } from 'node:fs';
import { lineBatches } from '../lines.js';

/** The lines of a file one by one, with a look at the next. */
export class FileLines {
  private readonly stream;
  private readonly batches: AsyncGenerator<string[]>;
  private batch: string[] = [];
  private at = 0;

  constructor(path: string) {
    this.stream = createReadStream(path, { highWaterMark: 32 * 1024 });
    this.batches = lineBatches(this.stream);
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

  close(): void {
    this.stream.destroy();
  }
}
