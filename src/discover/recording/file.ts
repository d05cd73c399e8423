import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { UserError } from '../../errors.js';
import { openRegular } from '../../files.js';
import { hasTooManyValues } from '../../json/bounds.js';
import { firstIssue } from '../../json/guards.js';
import { LineTooLong, lineBatches } from '../../json/lines.js';
import { utf8Text } from '../../json/utf8.js';
import { overLimit } from '../../limits.js';
import { gymgenCommand } from '../../printed-command.js';

/** Bytes per read. V8 collects strings quickly only if they have less than 128 KiB. */
const CHUNK = 32 * 1024;

/** Reads the lines of a recording, which may be compressed, and names the line in errors. */
export class RecordingFile {
  /** Number of the line that was read last, from 1. */
  number = 0;
  private batch: string[] = [];
  private at = 0;
  /** Of all lines before the last one that was read from the file. */
  private readonly hash = createHash('sha256');
  private last: string | undefined;

  private constructor(
    readonly path: string,
    private readonly batches: AsyncGenerator<string[]>,
    private readonly end: () => void,
  ) {}

  static async open(path: string): Promise<RecordingFile> {
    const handle = await openRegular(path);
    const isCompressed = await isGzip(handle);
    const file = handle.createReadStream({ highWaterMark: CHUNK, start: 0 });
    const text = isCompressed ? file.pipe(createGunzip({ chunkSize: CHUNK })) : file;
    // A pipe does not pass errors on.
    if (text !== file) file.on('error', (error) => text.destroy(error));
    return new RecordingFile(
      path,
      lineBatches(text, (bytes, line) => utf8Text(bytes, path, line)),
      () => {
        file.destroy();
        text.destroy();
      },
    );
  }

  /** Reads more lines if needed; false at the end of the file. */
  async hasMore(): Promise<boolean> {
    while (this.at === this.batch.length) {
      const next = await this.batches.next().catch((error: Error) => {
        if (error instanceof UserError) throw error;
        if (error instanceof LineTooLong) throw overLimit('lineBytes', { where: this.place });
        throw this.damaged(`cannot read further: ${error.message}`);
      });
      if (next.done) return false;
      this.batch = next.value;
      this.at = 0;
      this.addToHash(next.value);
    }
    return true;
  }

  /** The next line, or undefined if `hasMore` must read more lines first. */
  nextLine<T>(schema: z.ZodType<T>): T | undefined {
    const text = this.batch[this.at];
    if (text === undefined) return undefined;
    this.at += 1;
    this.number += 1;
    return this.validate(schema, this.parse(text));
  }

  /** @throws UserError if a value of the line that was read last is invalid */
  validate<T>(schema: z.ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw this.damaged(firstIssue(parsed.error));
  }

  /** The line that was read last: `tasks.jsonl:3`. */
  get place(): string {
    return `${this.path}:${this.number}`;
  }

  damaged(what: string): UserError {
    return new UserError(`damaged recording: ${what}`, {
      where: this.place,
      fix: `record it again: ${gymgenCommand`record <source> ${this.path}`}`,
    });
  }

  /**
   * Compares the content with the digest in the last line. Call it once, after the last line. Line ends do not matter.
   * @throws UserError if they differ
   */
  verifyDigest(digest: string): void {
    const end = (this.last ?? '').slice(0, -`,"sha256":"${digest}"}`.length);
    if (this.hash.update(`${end}}\n`).digest('hex') === digest) return;
    throw new UserError('damaged recording: its content does not match its SHA-256', {
      where: this.path,
      fix: `restore it from version control, or record it again: ${gymgenCommand`record <source> ${this.path}`}`,
    });
  }

  private addToHash(lines: readonly string[]): void {
    const all = this.last === undefined ? lines : [this.last, ...lines];
    this.last = all.at(-1);
    if (all.length > 1) this.hash.update(`${all.slice(0, -1).join('\n')}\n`);
  }

  close(): void {
    this.end();
  }

  private parse(text: string): unknown {
    if (hasTooManyValues(text)) throw overLimit('jsonValues', { where: this.place });
    try {
      return JSON.parse(text);
    } catch {
      throw this.damaged('the line is not valid JSON');
    }
  }
}

/** Looks for gzip's magic number (RFC 1952), whatever the name of the file. */
async function isGzip(file: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}
