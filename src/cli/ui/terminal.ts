import { Chalk, type ChalkInstance } from 'chalk';
import { displayText, formatCount, safeJson } from '../../display-text.js';
import type { FileState } from '../../model.js';
import type { Progress, SentRequest } from '../../reporter.js';
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { wrapWords } from './cut.js';
import { type Annotation, workflowCommand } from './github.js';
import { LiveLines, type LiveText } from './live-lines.js';
import { ProgressText } from './progress-text.js';

export interface TerminalOptions {
  /** Print only errors and the result. */
  quiet: boolean;
  /** Print one JSON document to stdout, and nothing else. */
  json: boolean;
  /** Print more detail. */
  verbose: boolean;
}

/** A colored word in front of a line. */
export interface Mark {
  text: string;
  color: 'red' | 'yellow' | 'green' | 'magenta' | 'dim';
}

/** A line, or the words of a `sentence`, which may be broken between words to fit the terminal. */
export type Text = string | readonly string[];

/** The words of a text, which is made safe to display as a whole. */
export function sentence(text: string): string[] {
  return displayText(text).split(' ');
}

const COLORS: Record<FileState, Mark['color']> = {
  create: 'green',
  update: 'yellow',
  same: 'dim',
  stale: 'red',
  edited: 'magenta',
};

/** The state of a file in front of its path. */
export function stateMark(state: FileState): Mark {
  return { text: state.padEnd(6), color: COLORS[state] };
}

/**
 * Output for the user: the result on stdout, everything else on stderr. Only a TTY gets a live progress line, and colors
 * unless NO_COLOR is set, which chalk does not check. Any text may come from a server, so `displayText` shows it without control
 * characters, and only marks are colored. Print a text of several lines with several calls.
 */
export class Terminal {
  private readonly live: LiveLines;
  private readonly progressText: ProgressText;

  constructor(
    readonly options: TerminalOptions,
    private readonly stdout: NodeJS.WriteStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
    clock: Clock = SYSTEM_CLOCK,
  ) {
    const moves = stderr.isTTY && process.env.TERM !== 'dumb';
    this.live = new LiveLines(stderr, options.quiet ? 'off' : moves ? 'moving' : 'plain', clock);
    this.progressText = new ProgressText(clock);
  }

  /** A line of the result; nothing with --json. */
  result(text: Text, mark?: Mark, indent?: number): void {
    this.live.hide();
    if (!this.options.json) write(this.stdout, text, mark, indent);
  }

  /** The result for machines; nothing without --json. */
  document(value: unknown): void {
    this.live.hide();
    if (this.options.json) this.stdout.write(`${safeJson(value, 2)}\n`);
  }

  /** A GitHub workflow command; nothing with --json. */
  annotate(annotation: Annotation): void {
    this.live.hide();
    if (!this.options.json) this.stdout.write(`${workflowCommand(annotation)}\n`);
  }

  /** Information on stderr; nothing with --quiet. */
  note(text: Text, mark?: Mark): void {
    if (!this.options.quiet) this.line(text, mark);
  }

  warn(text: string): void {
    if (!this.options.quiet) this.line(sentence(text), { text: 'warning:', color: 'yellow' });
  }

  detail(text: string): void {
    if (this.options.verbose) this.line('', { text: displayText(text), color: 'dim' });
  }

  /** A line on stderr, with any options. */
  line(text: Text, mark?: Mark, indent?: number): void {
    this.live.above(() => write(this.stderr, text, mark, indent));
  }

  /** A request that has ended; only with --verbose. */
  request(request: SentRequest): void {
    if (this.options.verbose) this.detail(requestText(request));
  }

  /** A progress line, until the next line of the result. */
  progress(progress: Progress): void {
    this.progressText.update(progress);
    this.show({ lines: (columns) => [this.progressText.line(columns)], plain: () => this.progressText.line() });
  }

  /** Lines that change, until the next line of the result. */
  show(text: LiveText): void {
    this.live.show(text);
  }

  /** Shows no progress from now on. */
  end(): void {
    this.live.end();
  }
}

/** @param indent of further lines */
function write(stream: NodeJS.WriteStream, text: Text, mark?: Mark, indent = 2): void {
  const columns = stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
  const before = mark ? [mark.text] : [];
  const lines =
    typeof text === 'string'
      ? [[...before, ...(text === '' ? [] : [text])].join(' ')]
      : wrapWords([...before, ...text], columns, indent);
  const [first = '', ...others] = lines.map(displayText);
  const colored = mark ? colorsOf(stream)[mark.color](mark.text) + first.slice(mark.text.length) : first;
  stream.write(`${[colored, ...others].join('\n')}\n`);
}

/** The 16 colors of every terminal, or none. */
function colorsOf(stream: NodeJS.WriteStream): ChalkInstance {
  const colored = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return new Chalk({ level: colored ? 1 : 0 });
}

/** Such as `GET http://127.0.0.1:8000/health: HTTP 200, 20 bytes, 31 ms`. */
function requestText({ request, status, bytes, milliseconds }: SentRequest): string {
  const facts = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    bytes === undefined ? 'no response' : `${formatCount(bytes)} bytes`,
    `${formatCount(Math.round(milliseconds))} ms`,
  ];
  return `${request}: ${facts.join(', ')}`;
}
