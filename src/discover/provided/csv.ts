import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { UserError } from '../../errors.js';
import { openRegular } from '../../files.js';
import { wholeLines } from '../../json/lines.js';
import { utf8Text, withoutMark } from '../../json/utf8.js';
import { LIMITS } from '../../limits.js';
import type { TaskRecord } from './provided-tasks.js';

/** Separators of spreadsheets: the semicolon is used if the comma is the decimal separator. */
const SEPARATORS = [',', ';', '\t', '|'];
/** A first line for Excel, which names the separator. */
const SEPARATOR_LINE = /^"?sep=(.)"?$/i;
/** How many bytes the first line may have. */
const FIRST_LINE = 64 * 1024;
/** Columns whose cells are strings, even if they look like JSON. */
const STRING_COLUMNS = ['prompt', 'system_prompt', 'split', 'id'];

/**
 * The records of a CSV file, whose first line names the columns. A cell that is JSON has that value, an empty cell is omitted, and
 * any other cell is a string.
 */
export async function* readCsv(file: string): AsyncGenerator<TaskRecord[]> {
  const handle = await openRegular(file);
  const { separator, headerLine } = separatorOf(await firstLine(handle));
  const source = Readable.from(checkUtf8(handle.createReadStream({ start: 0 }), file));
  const rows = source.pipe(
    parse({
      max_record_size: LIMITS.lineBytes,
      bom: true,
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      from_line: headerLine,
      columns: (header: string[]) => columnNames(header, `${file}:${headerLine}`),
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // empty rows at the end of a spreadsheet
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

/** The separator in the first line, and the number of the line that names the columns. */
function separatorOf(firstLine: string): { separator: string; headerLine: number } {
  const named = SEPARATOR_LINE.exec(firstLine)?.[1];
  if (named !== undefined) return { separator: named, headerLine: 2 };
  const unquoted = firstLine.replace(/"(?:[^"]|"")*"/g, '');
  return { separator: SEPARATORS.find((separator) => unquoted.includes(separator)) ?? ',', headerLine: 1 };
}

/**
 * The names of the columns, trimmed.
 * @throws UserError if a name is empty or repeated, because the cells of that column would be lost
 */
function columnNames(header: readonly string[], where: string): string[] {
  const names = header.map((name) => name.trim());
  const repeated = names.filter((name, at) => name !== '' && names.indexOf(name) !== at);
  const empty = names.flatMap((name, at) => (name === '' ? [`column ${at + 1} has no name`] : []));
  const details = [...empty, ...[...new Set(repeated)].map((name) => `several columns are called '${name}'`)];
  if (details.length === 0) return names;
  throw new UserError('invalid column names', { where, details, fix: 'give each column its own name, or delete it' });
}

const LINE_END = Buffer.from('\n');

/** @throws UserError naming the first line that is not UTF-8 */
async function* checkUtf8(source: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let line = 1;
  for await (const bytes of wholeLines(source)) {
    utf8Text(bytes, file, line);
    yield bytes;
    yield LINE_END;
    for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) line += 1;
    line += 1;
  }
}

function cellJson(column: string, cell: string): string {
  if (STRING_COLUMNS.includes(column)) return JSON.stringify(cell);
  try {
    JSON.parse(cell);
    return cell.trim();
  } catch {
    return JSON.stringify(cell);
  }
}
