import type { FileHandle } from 'node:fs/promises';
import type { UserError } from '../errors.js';
import { openNoFollow } from '../files.js';
import { linesOf } from '../json/lines.js';
import { LIMITS, overLimit } from '../limits.js';

const LF = 0x0a;
/** Bytes that are read at once. */
const AT_ONCE = 256 * 1024;
/** Bytes of lines that are taken at once, or one line. */
const TAKEN = 64 * 1024;

/** A file of lines from its start to its end, read into one piece of memory: what comes next is passed over, or taken. */
export class FileText {
  private memory = Buffer.allocUnsafeSlow(AT_ONCE);
  /** Where in `memory` is what was read and is still ahead of us. */
  private start = 0;
  private end = 0;
  /** Whether the last line that was taken had no line break at its end, which only a file's last one can lack. */
  isUnended = false;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** @returns undefined if there is no regular file that can be read; a symlink is not followed */
  static async open(path: string): Promise<FileText | undefined> {
    const file = await openNoFollow(path).catch(() => undefined);
    return file && new FileText(path, file);
  }

  /** Goes past these lines where they come next, byte by byte; else stays where it is. How many lines it went past. */
  async pass(bytes: Buffer): Promise<number> {
    while (this.ahead < bytes.length) if (!(await this.read())) return 0;
    if (bytes.compare(this.memory, this.start, this.start + bytes.length) !== 0) return 0;
    this.start += bytes.length;
    let lines = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines += 1;
    return lines;
  }

  /** The next lines without their ends (LF or CR LF): so many at most, and fewer where they are long; none at the end. */
  async take(most: number): Promise<string[]> {
    let length = 0;
    for (let taken = 0; taken < most && length < TAKEN; taken += 1) {
      const next = await this.lengthToLineEnd(length);
      if (next === length) break;
      length = next;
    }
    if (length === 0) return [];
    this.isUnended = this.memory[this.start + length - 1] !== LF;
    const lines = linesOf(this.memory.toString('utf8', this.start, this.start + length - Number(!this.isUnended)));
    this.start += length;
    return lines;
  }

  async isAtEnd(): Promise<boolean> {
    return this.ahead === 0 && !(await this.read());
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private get ahead(): number {
    return this.end - this.start;
  }

  /** How long what is ahead is up to the end of the line that begins after `length` bytes of it. */
  private async lengthToLineEnd(length: number): Promise<number> {
    for (let searched = length; ; ) {
      const at = this.memory.subarray(this.start, this.end).indexOf(LF, searched);
      if (at !== -1) return at + 1;
      searched = this.ahead;
      if (searched - length > LIMITS.lineBytes) throw this.tooLong();
      if (!(await this.read())) return searched;
    }
  }

  /** Reads on; false at the end of the file. */
  private async read(): Promise<boolean> {
    if (this.end === this.memory.length) this.makeRoom();
    const { bytesRead } = await this.file.read(this.memory, this.end, this.memory.length - this.end);
    this.end += bytesRead;
    return bytesRead > 0;
  }

  private makeRoom(): void {
    const { memory } = this;
    if (this.ahead * 2 > memory.length) this.memory = Buffer.allocUnsafeSlow(memory.length * 2);
    memory.copy(this.memory, 0, this.start, this.end);
    this.end = this.ahead;
    this.start = 0;
  }

  private tooLong(): UserError {
    return overLimit('lineBytes', { where: this.path, fix: 'delete the file, and write it again' });
  }
}
