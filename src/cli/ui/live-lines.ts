import { displayText } from '../../display-text.js';
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { cut, widthOf } from './cut.js';

/** Text that changes with time. */
export interface LiveText {
  /** The lines for a terminal, each of up to `columns` columns. */
  lines(columns: number): readonly string[];
  /** One line for a log. */
  plain(): string;
}

/** `moving`: the lines are redrawn in place; `plain`: a line is added every ten seconds. */
export type LiveMode = 'moving' | 'plain' | 'off';

const REDRAW_MS = 100;
const PLAIN_MS = 10_000;

/**
 * Lines at the end of the output that change, such as progress. A timer draws them, not each change of the text, so a fast
 * run draws none and a waiting run shows its time. The cursor stays visible and at the start of the last line, so a killed
 * process leaves nothing to restore, and the terminal's `^C` makes no line wider.
 */
export class LiveLines {
  private text: LiveText | undefined;
  private shown: readonly string[] = [];
  private stop: (() => void) | undefined;
  private ended = false;

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly mode: LiveMode,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  /** Shows a text until `hide`. */
  show(text: LiveText): void {
    if (this.mode === 'off' || this.ended) return;
    this.text = text;
    this.stop ??= this.clock.every(this.mode === 'moving' ? REDRAW_MS : PLAIN_MS, () => this.draw());
  }

  /** Writes other lines above the text. */
  above(write: () => void): void {
    const isShown = this.shown.length > 0;
    this.erase();
    write();
    if (isShown) this.draw();
  }

  hide(): void {
    this.erase();
    this.text = undefined;
  }

  /** Hides the text, and ignores later texts. */
  end(): void {
    this.ended = true;
    this.hide();
    this.stop?.();
  }

  /** A terminal of unknown size has 0 columns. */
  private columns(): number {
    return this.stream.columns || 80;
  }

  private erase(): void {
    if (this.shown.length > 0) this.stream.write(this.erasure());
    this.shown = [];
  }

  private draw(): void {
    if (this.text === undefined) return;
    if (this.mode === 'plain') {
      this.stream.write(`${displayText(this.text.plain())}\n`);
      return;
    }
    const columns = this.columns();
    const rows = this.stream.rows || 24;
    const lines = this.text.lines(columns - 1).slice(1 - rows);
    const next = lines.map((line) => cut(displayText(line), columns - 1));
    if (next.join('\n') === this.shown.join('\n')) return;
    const before = this.shown.length > 0 ? this.erasure() : '';
    this.shown = next;
    this.stream.write(`${before}${next.join('\n')}\r`);
  }

  /** Escape codes that erase the shown lines. A terminal that became narrower has wrapped them. */
  private erasure(): string {
    const columns = this.columns();
    const above = this.shown.slice(0, -1).map((line) => Math.max(1, Math.ceil(widthOf(line) / columns)));
    const up = above.reduce((sum, rows) => sum + rows, 0);
    return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
  }
}
