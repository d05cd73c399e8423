import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { UserError } from '../errors.js';
import { openRegular, readRegular } from '../files.js';
import { hasTooManyValues } from '../json/bounds.js';
import { isRecord } from '../json/guards.js';
import { LineTooLong, lineBatches, wholeLines } from '../json/lines.js';
import { utf8Text, withoutMark } from '../json/utf8.js';
import { LIMITS, limitMessage, overLimit } from '../limits.js';
import { members } from '../openenv/index.js';
import { csvColumns, separatorOf } from './csv-header.js';
import type { Values } from './task-line.js';

/** A line of a tasks file, or an item of its list. */
export interface TaskRecord {
  /** Such as `tasks.jsonl:3`. */
  where: string;
  /** What it says, or why it says nothing. */
  values: Values | string;
}

type Reader = (file: string) => AsyncGenerator<TaskRecord[]>;

const READERS: Record<string, Reader> = {
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.csv': readCsv,
  '.json': readJson,
};

/**
 * The records of a tasks file, as many at a time as come with one chunk.
 * @throws UserError where the file can't be read, or its name doesn't say what it is
 */
export async function* taskRecords(file: string): AsyncGenerator<TaskRecord[]> {
  const read = READERS[path.extname(file).toLowerCase()];
  if (read === undefined) {
    throw new UserError('a tasks file is called .jsonl, .csv or .json', {
      where: file,
      fix: 'rename it, or convert it',
    });
  }
  try {
    yield* read(file);
  } catch (error) {
    throw explained(error, file);
  }
}

async function* readJsonl(file: string): AsyncGenerator<TaskRecord[]> {
  let number = 0;
  const decode = (bytes: Buffer, line: number) => utf8Text(bytes, file, line);
  for await (const lines of lineBatches((await openRegular(file)).createReadStream(), decode)) {
    const records: TaskRecord[] = [];
    for (const text of lines) {
      number += 1;
      // An editor's line end at the end of the file, or a blank line between tasks.
      if (text.trim() !== '') records.push({ where: `${file}:${number}`, values: objectIn(text) });
    }
    yield records;
  }
}

/** Records that are read between two looks at what else there is to do. */
const AT_ONCE = 256;

/** A list is parsed at once. */
async function* readJson(file: string): AsyncGenerator<TaskRecord[]> {
  const text = utf8Text(await readRegular(file, 'lineBytes'), file).trim();
  if (hasTooManyValues(text))
    throw overLimit('jsonValues', { where: file, fix: 'convert it to .jsonl, one task a line' });
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (cause) {
    throw new UserError(`the file is no JSON: ${(cause as Error).message}`, { where: file });
  }
  if (!Array.isArray(items)) {
    throw new UserError('the file is no list of tasks', {
      where: file,
      fix: 'write [{…}, {…}], or a line each in a .jsonl',
    });
  }
  const list = [...members(text).values()];
  for (let start = 0; start < list.length; start += AT_ONCE) {
    await setImmediate();
    yield list.slice(start, start + AT_ONCE).map((item, at) => {
      return { where: `${file}, item ${start + at + 1}`, values: objectIn(item) };
    });
  }
}

/** Bytes of a CSV file in which its first line is looked for. */
const FIRST_LINE = 64 * 1024;

/**
 * The first line names the columns. A cell that is JSON is that value, an empty one is not there, and anything else is a
 * text; so are the columns of texts, whatever is in them.
 */
async function* readCsv(file: string): AsyncGenerator<TaskRecord[]> {
  const handle = await openRegular(file);
  const { separator, headerLine } = separatorOf(await firstLine(handle));
  const source = Readable.from(checked(handle.createReadStream({ start: 0 }), file));
  const rows = source.pipe(
    parse({
      max_record_size: LIMITS.lineBytes,
      bom: true,
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      from_line: headerLine,
      columns: (header: string[]) => csvColumns(header, `${file}:${headerLine}`),
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // rows below a spreadsheet's last one
      trim: false,
    }),
  );
  source.on('error', (error) => rows.destroy(error));
  try {
    for await (const { record, info } of rows as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      const cells = Object.entries(record).filter(([, cell]) => cell !== '');
      const values = new Map(cells.map(([column, cell]) => [column, cellJson(column, cell)]));
      yield [{ where: `${file}:${info.lines}`, values }];
    }
  } finally {
    source.destroy();
  }
}

async function firstLine(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE), 0, FIRST_LINE, 0);
  const [line = ''] = withoutMark(buffer.subarray(0, bytesRead))
    .toString()
    .split(/[\r\n]/, 1);
  return line;
}

/** The bytes of a file, which are UTF-8. */
async function* checked(source: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let line = 1;
  for await (const bytes of wholeLines(source)) {
    utf8Text(bytes, file, line);
    yield bytes;
    yield LINE_END;
    for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) line += 1;
    line += 1;
  }
}

const LINE_END = Buffer.from('\n');

const TEXTS = ['prompt', 'system_prompt', 'split', 'id'];

function cellJson(column: string, cell: string): string {
  if (TEXTS.includes(column)) return JSON.stringify(cell);
  try {
    JSON.parse(cell);
    return cell.trim();
  } catch {
    return JSON.stringify(cell);
  }
}

function objectIn(text: string): Values | string {
  if (hasTooManyValues(text)) return limitMessage('jsonValues');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is no JSON: ${(error as Error).message}`;
  }
  if (!isRecord(value)) return 'it is no object';
  return members(text);
}

function explained(error: unknown, file: string): unknown {
  if (error instanceof LineTooLong) return new UserError(error.message, { where: file, fix: 'is it a .jsonl?' });
  if (error instanceof CsvError) {
    return new UserError(`the tasks file is no CSV: ${error.message}`, { where: file, cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof UserError) return error;
  const what = code === 'ENOENT' ? 'there is no such tasks file' : `the tasks file can't be read (${code})`;
  return new UserError(what, { where: file, fix: 'correct --tasks', cause: error });
}
