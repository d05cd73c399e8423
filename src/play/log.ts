import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { withoutSecret } from './secret.js';

/** Lines that an error shows. */
const SHOWN = 5;
/** Lines that are kept to choose from. */
const KEPT = 400;
/** Bytes of the file: a server may print without end. */
const MAX_BYTES = 64 * 2 ** 20;

/** The last line of a Python traceback: `ValueError: …`, `ray.exceptions.RaySystemError: …` */
const EXCEPTION = /^(?:\(\w+\) )?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit): ./;

/** The output of NeMo Gym and its servers: a file, and the last lines for error messages. */
export class Log {
  private readonly lines: string[] = [];
  private readonly stream: WriteStream;
  private bytes = 0;

  /** @param secret is masked */
  constructor(
    readonly file: string,
    private readonly secret?: string,
  ) {
    this.stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    this.stream.on('error', () => {}); // a full disk must not end the run; the rollouts report it
  }

  add(line: string): void {
    const text = this.secret === undefined ? line : withoutSecret(line, this.secret);
    if (text.trim() === '') return;
    this.lines.push(text);
    if (this.lines.length > KEPT) this.lines.shift();
    this.bytes += text.length + 1;
    if (this.bytes <= MAX_BYTES) this.stream.write(`${text}\n`);
  }

  /**
   * Lines that say why a program failed: its exceptions, otherwise NeMo Gym's own last error, otherwise the last lines.
   */
  reasons(): string[] {
    const exceptions = [...new Set(this.lines.filter((line) => EXCEPTION.test(line)))];
    if (exceptions.length > 0) return exceptions.slice(-SHOWN);
    const error = this.lines.findLastIndex((line) => line.startsWith('Error: '));
    return error === -1 ? this.lines.slice(-SHOWN) : this.lines.slice(error, error + SHOWN);
  }

  async close(): Promise<void> {
    this.stream.end();
    await finished(this.stream).catch(() => {});
  }
}
