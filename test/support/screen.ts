import { widthOf } from '../../src/cli/ui/cut.js';

/** A terminal with a fixed width. It refuses escape codes that gymgen has no reason to send. */
export class Screen {
  /** Each cell is a character, or '' for the second column of a wide one. */
  private readonly lines: string[][] = [[]];
  /** All lines so far that were longer than the terminal, up to where they were broken. */
  readonly wraps: string[] = [];
  /** An escape code whose end is in the next chunk. */
  private incomplete = '';
  private row = 0;
  private column = 0;
  isCursorVisible = true;
  isColored = false;

  constructor(readonly columns: number) {}

  get text(): string {
    return this.lines
      .map((line) =>
        Array.from(line, (cell) => cell ?? ' ')
          .join('')
          .trimEnd(),
      )
      .join('\n');
  }

  write(chunk: string): void {
    const text = this.incomplete + chunk;
    const last = text.lastIndexOf('\u001b');
    const end = last === -1 || /[A-Za-z]/.test(text.slice(last)) ? text.length : last;
    this.incomplete = text.slice(end);
    const [first = '', ...others] = text.slice(0, end).split('\u001b[');
    this.print(first);
    for (const part of others) {
      const [code = '', values = '', name = ''] = /^([?\d;]*)([A-Za-z])/.exec(part) ?? [];
      this.control(values, name);
      this.print(part.slice(code.length));
    }
  }

  private print(text: string): void {
    for (const character of text) {
      if (character === '\r') this.column = 0;
      else if (character === '\n') this.goTo(this.row + 1);
      else if (character === '\b') this.column = Math.max(0, this.column - 1);
      else this.put(character);
    }
  }

  private control(values: string, code: string): void {
    if (code === 'm') this.isColored = true;
    else if (code === 'A') this.goTo(Math.max(0, this.row - Number(values || 1)));
    else if (code === 'J' && values === '') {
      this.lines.length = this.row + 1;
      this.clearLine();
    } else if (code === 'K') this.clearLine();
    else if ((code === 'h' || code === 'l') && values === '?25') this.isCursorVisible = code === 'h';
    else throw new Error(`unexpected escape code: ${values}${code}`);
  }

  private clearLine(): void {
    this.lines[this.row]?.splice(this.column);
  }

  private put(character: string): void {
    const width = widthOf(character);
    if (this.column + width > this.columns) {
      this.wraps.push((this.lines[this.row] as string[]).join(''));
      this.goTo(this.row + 1);
      this.column = 0;
    }
    const line = this.lines[this.row] as string[];
    line[this.column] = character;
    if (width === 2) line[this.column + 1] = '';
    this.column += width;
  }

  private goTo(row: number): void {
    this.row = row;
    while (this.lines.length <= row) this.lines.push([]);
  }
}
