import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { inputJson, isSameRow, promptFingerprint, withInput } from '../gym/index.js';
import { exceededLimit } from '../json/bounds.js';
import type { KeptPrompts } from '../model.js';
import { Digest } from '../output/index.js';
import { describe, rowErrors } from '../rules/index.js';
import { FileLines } from './file-lines.js';

const Messages = z
  .array(z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'developer']), content: z.unknown() }))
  .min(1);
const Row = z.looseObject({ responses_create_params: z.looseObject({ input: z.unknown(), tools: z.unknown() }) });
type Row = z.infer<typeof Row>;

/** A file of rows on disk, and what is known of the rows that gymgen wrote into it. */
export interface WrittenRows {
  path: string;
  /** The fingerprint of a row's generated prompts, by its index. */
  fingerprint: (row: number) => number | undefined;
  /** JSON of the toolsets that the rows had. */
  tools: ReadonlySet<string>;
}

/**
 * Generated rows, with the edited prompts of the rows on disk. Both files are read once, side by side. Rows with the same split,
 * index and id belong together. Everything except the prompts is as generated.
 */
export class MergedRows implements KeptPrompts {
  count = 0;
  hash = '';
  /** Edited rows whose tasks are gone or moved. */
  readonly lost: string[] = [];
  private hasOtherEdits = false;

  constructor(private readonly written: WrittenRows) {}

  get only(): boolean {
    return !this.hasOtherEdits && this.lost.length === 0;
  }

  async *merge(generated: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const digest = new Digest();
    const existing = await FileLines.open(this.written.path);
    let number = 0;
    try {
      for await (const chunk of generated) {
        digest.update(chunk);
        let merged = '';
        for (const line of chunk.toString().split('\n').slice(0, -1)) {
          merged += `${await this.mergeLine(line, number, existing)}\n`;
          number += 1;
        }
        yield Buffer.from(merged);
      }
      for (let line = await existing.take(); line !== undefined; line = await existing.take()) {
        this.lose(parse(line), number);
      }
      this.hash = digest.end();
    } finally {
      await existing.close();
    }
  }

  private async mergeLine(line: string, number: number, existing: FileLines): Promise<string> {
    const fresh = JSON.parse(line) as Row;
    for (let text = await existing.peek(); text !== undefined; text = await existing.peek()) {
      if (text === line) {
        await existing.take();
        return line;
      }
      const row = parse(text);
      if (row && indexOf(row, number) > indexOf(fresh, number)) return line; // the row belongs to a later task
      await existing.take();
      if (row && isSameTask(row, fresh)) {
        const merged = this.withPrompts(line, fresh, row, number);
        return isSameRow(text, merged) ? text : merged; // another spelling of the same row is not an edit
      }
      this.lose(row, number);
      if (row && indexOf(row, number) === indexOf(fresh, number)) return line;
    }
    return line;
  }

  private withPrompts(line: string, fresh: Row, row: Row, number: number): string {
    if (!this.isGenerated(row, fresh)) this.hasOtherEdits = true;
    const { input } = row.responses_create_params;
    if (inputJson(input) === inputJson(fresh.responses_create_params.input) || !this.isEdited(row, number)) return line;
    if (!Messages.safeParse(input).success) {
      throw new UserError('edited input is not a list of messages', {
        where: `${this.written.path}:${number + 1}`,
        details: [nameOf(row)],
        fix: 'write messages as {"role": "user", "content": "…"}, with role system, user, assistant or developer',
      });
    }
    this.count += 1;
    const merged = withInput(line, input);
    const [found, ...more] = rowErrors(Buffer.from(merged));
    if (found === undefined) return merged;
    throw new UserError('NeMo Gym would reject an edited prompt', {
      where: `${this.written.path}:${number + 1}`,
      details: [found, ...more].map(describe),
      fix: 'correct the row, or discard the edits with --force',
    });
  }

  private isEdited(row: Row, number: number): boolean {
    const fingerprint = promptFingerprint(inputJson(row.responses_create_params.input));
    return fingerprint !== this.written.fingerprint(indexOf(row, number));
  }

  /** Whether a row is as gymgen generates it, now or earlier, except for its prompts. */
  private isGenerated({ responses_create_params: params, ...row }: Row, fresh: Row): boolean {
    const { responses_create_params: freshParams, ...freshRow } = fresh;
    const { input: _, tools, ...rest } = params;
    const { input: __, tools: freshTools, ...freshRest } = freshParams;
    const areOurs = isDeepStrictEqual(tools, freshTools) || this.written.tools.has(JSON.stringify(tools));
    return areOurs && isDeepStrictEqual([row, rest], [freshRow, freshRest]);
  }

  private lose(row: Row | undefined, number: number): void {
    if (!row) this.hasOtherEdits = true;
    else if (this.isEdited(row, number)) this.lost.push(nameOf(row));
  }
}

/** @returns undefined if the line is not a row */
function parse(line: string): Row | undefined {
  if (exceededLimit(Buffer.from(line)) !== undefined) return undefined;
  try {
    return Row.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The row's index in its split. A row of a provided task has none: its index is its line. */
function indexOf({ index }: Row, number: number): number {
  return typeof index === 'number' ? index : number;
}

function isSameTask(one: Row, other: Row): boolean {
  return one.split === other.split && one.index === other.index && one.task_id === other.task_id;
}

function nameOf({ split, index, task_id: id }: Row): string {
  return split === undefined ? `'${String(id)}'` : `${String(split)}[${String(index)}] '${String(id)}'`;
}
