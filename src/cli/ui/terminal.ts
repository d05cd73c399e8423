import { Chalk, type ChalkInstance } from 'chalk';
import { displayText, safeJson } from '../../display-text.js';
import type { FileState } from '../../model.js';
import { type Annotation, workflowCommand } from './github.js';

export interface TerminalOptions {
  /** Print only errors and the result. */
  quiet: boolean;
  /** Print one JSON document to stdout, and nothing else. */
  json: boolean;
  /** Print more detail. */
  verbose: boolean;
}

/** A coloured word in front of a line. */
export interface Mark {
  text: string;
  colour: 'red' | 'yellow' | 'green' | 'magenta' | 'dim';
}

const COLOURS: Record<FileState, Mark['colour']> = {
  create: 'green',
  update: 'yellow',
  same: 'dim',
  stale: 'red',
  edited: 'magenta',
};

/** The state of a file in front of its path. */
export function stateMark(state: FileState): Mark {
  return { text: state.padEnd(6), colour: COLOURS[state] };
}

const PROGRESS_MS = 100;

/**
 * Output for the user: the result on stdout, everything else on stderr. Only a TTY gets a progress line, and colours unless
 * NO_COLOR is set, which chalk does not check. Any text may come from a server, so `displayText` shows it as one line, and
 * only marks are coloured. Print a text of several lines with several calls.
 */
export class Terminal {
  private readonly moving: boolean;
  private shown: string[] = [];
  private shownAt = 0;

  constructor(
    readonly options: TerminalOptions,
    private readonly stdout: NodeJS.WriteStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
  ) {
    this.moving = Boolean(stderr.isTTY) && !options.quiet && process.env.TERM !== 'dumb';
  }

  /** A line of the result; nothing with --json. */
  result(text: string, mark?: Mark): void {
    this.clear();
    if (!this.options.json) write(this.stdout, text, mark);
  }

  /** The result for machines; nothing without --json. */
  document(value: unknown): void {
    this.clear();
    if (this.options.json) this.stdout.write(`${safeJson(value, 2)}\n`);
  }

  /** A GitHub workflow command; nothing with --json. */
  annotate(annotation: Annotation): void {
    this.clear();
    if (!this.options.json) this.stdout.write(`${workflowCommand(annotation)}\n`);
  }

  /** Information on stderr; nothing with --quiet. */
  note(text: string, mark?: Mark): void {
    if (!this.options.quiet) this.line(text, mark);
  }

  warn(text: string): void {
    if (!this.options.quiet) this.line(text, { text: 'warning:', colour: 'yellow' });
  }

  detail(text: string): void {
    if (this.options.verbose) this.line('', { text: displayText(text), colour: 'dim' });
  }

  /** A line on stderr, with any options. */
  line(text: string, mark?: Mark): void {
    this.clear();
    write(this.stderr, text, mark);
  }

  /** A progress line, which the next line of any kind replaces. */
  progress(text: string): void {
    if (Date.now() - this.shownAt >= PROGRESS_MS) this.draw([text]);
  }

  /** Several progress lines, as many as fit. */
  board(lines: readonly string[]): void {
    const gone = this.shown.length === 0;
    if (gone || Date.now() - this.shownAt >= PROGRESS_MS) this.draw(lines.slice(1 - (this.stderr.rows || 24)));
  }

  clear(): void {
    if (this.shown.length > 0) this.stderr.write(this.erasure());
    this.shown = [];
  }

  private draw(lines: readonly string[]): void {
    if (!this.moving) return;
    this.shownAt = Date.now();
    const before = this.erasure();
    this.shown = lines.map((line) => displayText(line).slice(0, (this.stderr.columns || 80) - 1));
    this.stderr.write(before + this.shown.join('\n'));
  }

  /** Escape codes that erase the progress lines, from the last one up. */
  private erasure(): string {
    return `\r\x1b[K${'\x1b[1A\x1b[K'.repeat(Math.max(0, this.shown.length - 1))}`;
  }
}

function write(stream: NodeJS.WriteStream, text: string, mark?: Mark): void {
  const parts = [mark ? coloursOf(stream)[mark.colour](mark.text) : '', displayText(text)];
  stream.write(`${parts.filter((part) => part !== '').join(' ')}\n`);
}

/** The 16 colours of every terminal, or none. */
function coloursOf(stream: NodeJS.WriteStream): ChalkInstance {
  const coloured = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return new Chalk({ level: coloured ? 1 : 0 });
}
