import { createHash } from 'node:crypto';
import { UserError } from '../errors.js';
import { openNoFollow } from '../files.js';
import { taskIdOf } from '../gym/index.js';
import { isRecord } from '../json/guards.js';
import { LineTooLong, wholeLines } from '../json/lines.js';

/** A split of one server. */
export interface RowSource {
  server: string;
  split: string;
  /** Absolute path of the rows. */
  path: string;
}

export interface RowSelection {
  /** Upper bound on the rows of each source. */
  limit: number;
  /** Keeps only the tasks on one side of a split by task ids. */
  side?: { fraction: number; isValidation: boolean };
}

/** Changes one row, given as its line without line break. `at` counts the rows of the whole file, from 0. */
export type RowChange = (line: string, source: RowSource, at: number) => string;

/** Minimum size of a chunk, in bytes. */
const CHUNK = 64 * 1024;
const LF = Buffer.from('\n');

/** Rows of one file of the dataset, as bytes. */
export class DatasetRows {
  /** Number of rows, complete after the last chunk. */
  count = 0;

  constructor(
    private readonly sources: readonly RowSource[],
    private readonly selection: RowSelection,
    private readonly change?: RowChange,
  ) {}

  /** @throws UserError if a line is not a row */
  async *bytes(): AsyncGenerator<Buffer> {
    let pending: Buffer[] = [];
    let size = 0;
    for (const source of this.sources) {
      for await (const line of this.selected(source)) {
        const row = this.change ? Buffer.from(this.change(line.toString(), source, this.count)) : line;
        this.count += 1;
        pending.push(row, LF);
        size += row.length + 1;
        if (size < CHUNK) continue;
        yield Buffer.concat(pending);
        pending = [];
        size = 0;
      }
    }
    if (size > 0) yield Buffer.concat(pending);
  }

  private async *selected(source: RowSource): AsyncGenerator<Buffer> {
    const { limit, side } = this.selection;
    let kept = 0;
    let number = 0;
    for await (const line of linesIn(source.path)) {
      number += 1;
      if (kept === limit) return;
      if (line[0] !== 0x7b) throw notRow(`${source.path}:${number}`, line.length === 0 ? 'blank line' : 'not a row');
      if (side && isInValidation(line, side.fraction, `${source.path}:${number}`) !== side.isValidation) continue;
      kept += 1;
      yield line;
    }
  }
}

function notRow(where: string, what: string): UserError {
  return new UserError(`${what}: a job reads each line as a row`, {
    where,
    fix: 'remove the line, or write the folder again',
  });
}

/** Lines without line breaks. A line is valid until the next one is read. */
async function* linesIn(path: string): AsyncGenerator<Buffer> {
  const file = await openNoFollow(path);
  if (!file) throw new UserError('rows are not a regular file', { where: path, fix: 'write the folder again' });
  try {
    for await (const piece of wholeLines(file.createReadStream({ highWaterMark: CHUNK }))) yield* linesOf(piece);
  } catch (error) {
    if (error instanceof LineTooLong)
      throw new UserError(error.message, { where: path, fix: 'remove the row', cause: error });
    throw error;
  } finally {
    await file.close();
  }
}

function* linesOf(piece: Buffer): Generator<Buffer> {
  for (let start = 0; start <= piece.length; ) {
    const found = piece.indexOf(0x0a, start);
    const end = found === -1 ? piece.length : found;
    yield piece.subarray(start, piece[end - 1] === 0x0d ? end - 1 : end);
    start = end + 1;
  }
}

/** Whether a task belongs to the validation rows. Only its id decides, so adding tasks moves no other task. */
function isInValidation(line: Buffer, fraction: number, where: string): boolean {
  const text = line.toString();
  const id = taskIdOf(text) ?? parsedId(text, where);
  return createHash('sha256').update(id).digest().readUIntBE(0, 6) / 2 ** 48 < fraction;
}

function parsedId(text: string, where: string): string {
  try {
    const row: unknown = JSON.parse(text);
    if (isRecord(row) && typeof row.task_id === 'string') return row.task_id;
  } catch {
    throw notRow(where, 'not valid JSON');
  }
  throw new UserError('row has no task_id to split the rows by', { where, fix: 'use --validation SPLIT instead' });
}
