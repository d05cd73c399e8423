import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CsvError } from 'csv-parse';
import { UserError } from '../../errors.js';
import { openRegular, readRegular } from '../../files.js';
import { hasTooManyValues } from '../../json/bounds.js';
import { isRecord } from '../../json/guards.js';
import { LineTooLong, lineBatches } from '../../json/lines.js';
import { utf8Text } from '../../json/utf8.js';
import { limitMessage, overLimit } from '../../limits.js';
import { members } from '../../openenv/index.js';
import { readCsv } from './csv.js';
import type { TaskRecord, TaskValues } from './tasks.js';

type Reader = (file: string) => AsyncGenerator<TaskRecord[]>;

const READERS: Record<string, Reader> = {
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.csv': readCsv,
  '.json': readJson,
};

/**
 * The records of a tasks file, in batches.
 * @throws UserError if the file cannot be read, or if its format is unknown
 */
export async function* taskRecords(file: string): AsyncGenerator<TaskRecord[]> {
  const read = READERS[path.extname(file).toLowerCase()];
  if (read === undefined) {
    throw new UserError('unknown format of a tasks file', { where: file, fix: 'use a .jsonl, .csv or .json file' });
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
      if (text.trim() !== '') records.push({ where: `${file}:${number}`, values: readObject(text) });
    }
    yield records;
  }
}

/** Number of records between two turns of the event loop. */
const BATCH = 256;

async function* readJson(file: string): AsyncGenerator<TaskRecord[]> {
  const text = utf8Text(await readRegular(file, 'lineBytes'), file).trim();
  if (hasTooManyValues(text)) {
    throw overLimit('jsonValues', { where: file, fix: 'convert it to .jsonl, with one task per line' });
  }
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (cause) {
    throw new UserError(`not valid JSON: ${(cause as Error).message}`, { where: file });
  }
  if (!Array.isArray(items)) {
    throw new UserError('not a list of tasks', {
      where: file,
      fix: 'write [{…}, {…}], or one object per line in a .jsonl file',
    });
  }
  const list = [...members(text).values()];
  for (let start = 0; start < list.length; start += BATCH) {
    await setImmediate();
    yield list.slice(start, start + BATCH).map((item, at) => {
      return { where: `${file}, item ${start + at + 1}`, values: readObject(item) };
    });
  }
}

function readObject(text: string): TaskValues | string {
  if (hasTooManyValues(text)) return limitMessage('jsonValues');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not valid JSON: ${(error as Error).message}`;
  }
  return isRecord(value) ? members(text) : 'not an object';
}

function explained(error: unknown, file: string): unknown {
  if (error instanceof LineTooLong) {
    return new UserError(error.message, { where: file, fix: 'check that it has one task per line' });
  }
  if (error instanceof CsvError) return new UserError(`not valid CSV: ${error.message}`, { where: file, cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof UserError) return error;
  const what = code === 'ENOENT' ? 'no such tasks file' : `cannot read the tasks file (${code})`;
  return new UserError(what, { where: file, fix: 'correct the path in --tasks', cause: error });
}
