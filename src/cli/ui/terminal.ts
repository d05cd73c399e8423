import { Chalk, type ChalkInstance } from 'chalk';

export interface TerminalOptions {
  /** Errors only. */
  quiet: boolean;
  /** One JSON document on stdout, and nothing else. */
  json: boolean;
  verbose: boolean;
}

const PROGRESS_MS = 100;

/**
 * What the user sees: stdout is the result and stderr is everything else. Only a TTY gets a moving line, and colours where
 * NO_COLOR is not set, which chalk alone does not look at.
 */
export class Terminal {
  readonly colours: ChalkInstance;
  private readonly moving: boolean;
  private shown = '';
  private shownAt = 0;

  constructor(
    readonly options: TerminalOptions,
    private readonly stdout: NodeJS.WriteStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
  ) {
    this.colours = process.env.NO_COLOR || !stderr.isTTY ? new Chalk({ level: 0 }) : new Chalk();
    this.moving = Boolean(stderr.isTTY) && !options.quiet && process.env.TERM !== 'dumb';
    // `gymgen … | head` ends the pipe early, which is no failure of ours.
    for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe);
  }

  /** A line of the result; nothing with --json. */
  result(text: string): void {
    this.clear();
    if (!this.options.json) this.stdout.write(`${printable(text)}\n`);
  }

  /** The result for machines; nothing without --json. */
  document(value: unknown): void {
    this.clear();
    if (this.options.json) this.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** Something good to know. */
  note(text: string): void {
    if (!this.options.quiet) this.line(text);
  }

  warn(text: string): void {
    if (!this.options.quiet) this.line(`${this.colours.yellow('warning:')} ${text}`);
  }

  detail(text: string): void {
    if (this.options.verbose) this.line(this.colours.dim(text));
  }

  /** A line on stderr, whatever the options. */
  line(text: string): void {
    this.clear();
    this.stderr.write(`${printable(text, this.colours.level > 0)}\n`);
  }

  /** Shows what is going on; the next line of any kind takes its place. */
  progress(text: string): void {
    const now = Date.now();
    if (!this.moving || now - this.shownAt < PROGRESS_MS) return;
    this.shownAt = now;
    this.shown = printable(text).slice(0, (this.stderr.columns ?? 80) - 1);
    this.stderr.write(`\r\x1b[K${this.shown}`);
  }

  clear(): void {
    if (this.shown) this.stderr.write('\r\x1b[K');
    this.shown = '';
  }
}

/** A server's text must not steer the terminal: control characters go, but line ends, tabs and our own colours. */
function printable(text: string, coloured = false): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const control = coloured ? /(\x1b\[\d{1,2}m)|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g : /()[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
  return text.replace(control, (_, colour = '') => colour);
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
