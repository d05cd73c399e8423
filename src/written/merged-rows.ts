import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { jsonLine, promptPrint } from '../gym/index.js';
import { endOfString, exceededLimit } from '../json/bounds.js';
import { Digest, type KeptPrompts } from '../output/index.js';
import { FileLines } from './file-lines.js';

const START = '{"responses_create_params":{"input":';
const Messages = z
  .array(z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'developer']), content: z.unknown() }))
  .min(1);
const Row = z.looseObject({ responses_create_params: z.looseObject({ input: z.unknown(), tools: z.unknown() }) });
type Row = z.infer<typeof Row>;

/** What is known of the rows as gymgen wrote them. */
export interface WrittenRows {
  path: string;
  /** What the prompts of a row were known by, by its place. */
  print: (row: number) => number | undefined;
  /** The tools that rows had, as JSON. */
  tools: ReadonlySet<string>;
}

/**
 * Rows as they are generated, but with the prompts of those that are there and were edited by hand. Both are read once, side
 * by side: split, index and id say which belong together, and all but the prompts is as generated.
 */
export class MergedRows implements KeptPrompts {
  count = 0;
  hash = '';
  /** Whether the rows have edits of something else, too. */
  private alsoOther = false;
  /** Rows whose prompts were edited, and whose task is not at their place any more. */
  readonly lost: string[] = [];

  constructor(private readonly written: WrittenRows) {}

  get only(): boolean {
    return !this.alsoOther && this.lost.length === 0;
  }

  async *rows(generated: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const digest = new Digest();
    const there = await FileLines.open(this.written.path);
    let number = 0;
    try {
      for await (const chunk of generated) {
        digest.update(chunk);
        let merged = '';
        for (const line of chunk.toString().split('\n').slice(0, -1)) {
          merged += `${await this.merge(line, number, there)}\n`;
          number += 1;
        }
        yield Buffer.from(merged);
      }
      for (let line = await there.take(); line !== undefined; line = await there.take()) this.lose(parse(line), number);
      this.hash = digest.end();
    } finally {
      await there.close();
    }
  }

  private async merge(line: string, number: number, there: FileLines): Promise<string> {
    const fresh = JSON.parse(line) as Row;
    for (let text = await there.peek(); text !== undefined; text = await there.peek()) {
      if (text === line) {
        await there.take();
        return line;
      }
      const row = parse(text);
      // A row that comes later has its place later.
      if (row && placeOf(row, number) > placeOf(fresh, number)) return line;
      await there.take();
      if (row && isSameTask(row, fresh)) return spelt(text, this.withPrompts(line, fresh, row, number));
      this.lose(row, number);
      if (row && placeOf(row, number) === placeOf(fresh, number)) return line;
    }
    return line;
  }

  private withPrompts(line: string, fresh: Row, row: Row, number: number): string {
    if (!this.isOurs(row, fresh)) this.alsoOther = true;
    const generated = jsonLine(fresh.responses_create_params.input);
    const input = jsonLine(row.responses_create_params.input);
    if (input === generated || !this.isEdited(row, number)) return line;
    if (!Messages.safeParse(row.responses_create_params.input).success) {
      throw new UserError(`the input of ${nameOf(row)} is no list of messages`, {
        where: `${this.written.path}:${number + 1}`,
        fix: 'each is {"role": "user", "content": "…"}, with the role system, user, assistant or developer',
      });
    }
    if (!line.startsWith(START + generated)) throw new Error(`a row does not begin as rows do: ${line.slice(0, 80)}`);
    this.count += 1;
    return `${START}${input}${line.slice(START.length + generated.length)}`;
  }

  private isEdited(row: Row, number: number): boolean {
    return promptPrint(jsonLine(row.responses_create_params.input)) !== this.written.print(placeOf(row, number));
  }

  /** Whether all but its prompts is as gymgen wrote it, now or before. */
  private isOurs({ responses_create_params: params, ...row }: Row, fresh: Row): boolean {
    const { responses_create_params: freshParams, ...freshRow } = fresh;
    const { input: _, tools, ...rest } = params;
    const { input: __, tools: freshTools, ...freshRest } = freshParams;
    const ours = isDeepStrictEqual(tools, freshTools) || this.written.tools.has(JSON.stringify(tools));
    return ours && isDeepStrictEqual([row, rest], [freshRow, freshRest]);
  }

  private lose(row: Row | undefined, number: number): void {
    if (!row) this.alsoOther = true;
    else if (this.isEdited(row, number)) this.lost.push(nameOf(row));
  }
}

function parse(text: string): Row | undefined {
  if (exceededLimit(Buffer.from(text)) !== undefined) return undefined;
  try {
    return Row.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The row that is there where it says the same as the one to be: a tool that writes JSON its own way is no change. */
function spelt(there: string, row: string): string {
  return normal(there) === normal(row) ? there : row;
}

/** Without blanks, and strings without needless escapes; numbers stay as they are. A string can be longer than a regex takes. */
function normal(json: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let quote = json.indexOf('"'); quote !== -1; quote = json.indexOf('"', start)) {
    const end = endOfString(json, quote) + 1;
    parts.push(json.slice(start, quote).replace(/\s/g, ''), JSON.stringify(JSON.parse(json.slice(quote, end))));
    start = end;
  }
  return parts.join('') + json.slice(start).replace(/\s/g, '');
}

/** The row's place in its split, as it says, or else as its line does. */
function placeOf({ index }: Row, number: number): number {
  return typeof index === 'number' ? index : number;
}

function isSameTask(one: Row, other: Row): boolean {
  return one.split === other.split && one.index === other.index && one.task_id === other.task_id;
}

function nameOf({ split, index, task_id: id }: Row): string {
  return split === undefined ? `'${String(id)}'` : `${String(split)}[${String(index)}] '${String(id)}'`;
}
