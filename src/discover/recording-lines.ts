import type { FileHandle } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { UserError } from '../errors.js';
import { openRegular } from '../files.js';
import { hasTooManyValues } from '../json/bounds.js';
import { firstIssue } from '../json/first-issue.js';
import { LineTooLong, lineBatches } from '../json/lines.js';
import { utf8Text } from '../json/utf8.js';
import { overLimit } from '../limits.js';
import { gymgenCommand } from '../printed-command.js';

/** Bytes that are read at once. As texts they must die young, which a text of more than 128 KiB doesn't in V8. */
const CHUNK = 32 * 1024;

/** Reads a recording line by line, unpacked where it is packed, and tells where it is damaged. */
export class RecordingLines {
  /** The number of the line that was read last, from 1. */
  number = 0;
  private batch: string[] = [];
  private at = 0;

  private constructor(
    readonly path: string,
    private readonly batches: AsyncGenerator<string[]>,
    private readonly end: () => void,
  ) {}

  static async open(path: string): Promise<RecordingLines> {
    const handle = await openRegular(path);
    const packed = await isPacked(handle);
    const file = handle.createReadStream({ highWaterMark: CHUNK, start: 0 });
    const unpacked = packed ? file.pipe(createGunzip({ chunkSize: CHUNK })) : file;
    // A failure to read must end what unpacks it, too.
    if (unpacked !== file) file.on('error', (error) => unpacked.destroy(error));
    return new RecordingLines(
      path,
      lineBatches(unpacked, (bytes, line) => utf8Text(bytes, path, line)),
      () => {
        file.destroy();
        unpacked.destroy();
      },
    );
  }

  /** Makes sure that there is a line to take; false at the end of the file. */
  async more(): Promise<boolean> {
    while (this.at === this.batch.length) {
      const next = await this.batches.next().catch((error: Error) => {
        if (error instanceof UserError) throw error;
        if (error instanceof LineTooLong) throw overLimit('lineBytes', { where: this.place });
        throw this.damaged(`it can't be read on: ${error.message}`);
      });
      if (next.done) return false;
      this.batch = next.value;
      this.at = 0;
    }
    return true;
  }

  /** The next of the lines that have come, or undefined where `more` has to be asked first. */
  take<T>(schema: z.ZodType<T>): T | undefined {
    const text = this.batch[this.at];
    if (text === undefined) return undefined;
    this.at += 1;
    this.number += 1;
    return this.checked(schema, this.json(text));
  }

  /** @throws UserError where a value of the line that was read last is not as it should be */
  checked<T>(schema: z.ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw this.damaged(firstIssue(parsed.error));
  }

  /** Of the line that was read last: `tasks.jsonl:3`. */
  get place(): string {
    return `${this.path}:${this.number}`;
  }

  damaged(what: string): UserError {
    return new UserError(`the recording is damaged: ${what}`, {
      where: this.place,
      fix: `record it again: ${gymgenCommand`record <source> ${this.path}`}`,
    });
  }

  close(): void {
    this.end();
  }

  private json(text: string): unknown {
    if (hasTooManyValues(text)) throw overLimit('jsonValues', { where: this.place });
    try {
      return JSON.parse(text);
    } catch {
      throw this.damaged('the line is not JSON');
    }
  }
}

/** gzip's magic number (RFC 1952), whatever the file is called. */
async function isPacked(file: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}
