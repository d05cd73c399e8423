import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CsvError } from 'csv-parse';
import { UserError } from '../../errors.js';
import { openRegular, readRegular } from '../../files.js';
import { hasTooManyValues } from '../../json/bounds.js';
import { isRecord } from '../../json/guards.js';
import { LineTooLong, lineBatches } from '../../json/lines.js';
import { utf8Text } from '../../json/utf8.js';
import { LIMITS, limitMessage, overLimit } from '../../limits.js';
import type { JsonText, Split } from '../../model.js';
import { members } from '../../openenv/index.js';
import { jsonProblem, RESET_LEVEL } from '../../rules/index.js';
import { FingerprintSet, fingerprint } from '../fingerprints.js';
import { chooseSplits, type TaskSelection } from '../listing.js';
import { readCsv } from './csv.js';
import {
  DEFAULT_SPLIT,
  type ProvidedTask,
  type ProvidedTasks,
  type TaskRecord,
  type TaskValues,
} from './provided-tasks.js';

/** Maximum number of problems in one message. */
const MAX_PROBLEMS = 20;

/**
 * The tasks of a `.jsonl`, `.csv` or `.json` file. The file is read once to check it, and once for each split.
 * @throws UserError naming the invalid lines
 */
export async function tasksFile(file: string, { splits: wanted, limit }: TaskSelection): Promise<ProvidedTasks> {
  const counts = await countTasks(file);
  const chosen = chooseSplits([...counts.keys()], wanted);
  const splits = chosen.map((name): Split => ({ name, count: Math.min(counts.get(name) ?? 0, limit) }));
  const countOf = new Map(splits.map(({ name, count }) => [name, count]));
  return {
    splits,
    varied: 'reset arguments',
    async *tasks(split) {
      let left = countOf.get(split) ?? 0;
      for await (const page of readTasks(file)) {
        const own = page.filter((task) => task.split === split).slice(0, left);
        left -= own.length;
        if (own.length > 0) yield own;
        if (left === 0) return;
      }
      throw new UserError('the tasks file changed while it was read', { where: file, fix: 'run gymgen again' });
    },
  };
}

/**
 * Checks the whole file.
 * @returns the number of tasks of each split, in the order in which the splits appear
 */
async function countTasks(file: string): Promise<Map<string, number>> {
  const problems: string[] = [];
  const ids = new FingerprintSet();
  const counts = new Map<string, number>();
  const report = (where: string, what: string) => {
    problems.push(`${where}: ${what}`);
    if (problems.length >= MAX_PROBLEMS) throw invalidLines(problems);
  };
  for await (const page of readTasks(file, report)) {
    for (const { id, split, index, where } of page) {
      counts.set(split, index + 1);
      if (counts.size > LIMITS.splits) throw overLimit('splits', { where });
      if (!ids.add(fingerprint(id))) report(where, `duplicate id '${id}'`);
    }
  }
  if (problems.length > 0) throw invalidLines(problems);
  if (counts.size === 0)
    throw new UserError('the tasks file has no tasks', { where: file, fix: 'add a task per line' });
  return counts;
}

function invalidLines(details: string[]): UserError {
  const fix =
    'write the arguments of a reset in each line, directly or as the value of reset; prompt, system_prompt, split and id are optional';
  return new UserError('invalid lines in the tasks file; nothing was written', { details, fix });
}

type ProblemHandler = (where: string, what: string) => void;
type TaskOfLine = ProvidedTask & { where: string };

async function* readTasks(file: string, report: ProblemHandler = () => {}): AsyncGenerator<TaskOfLine[]> {
  const nextIndex = new Map<string, number>();
  for await (const records of taskRecords(file)) {
    const page: TaskOfLine[] = [];
    for (const record of records) {
      const line = readLine(record, report);
      if (line === undefined) continue;
      const { split = DEFAULT_SPLIT, id, ...rest } = line;
      const index = nextIndex.get(split) ?? 0;
      nextIndex.set(split, index + 1);
      page.push({ ...rest, split, index, id: id ?? `${split}-${index}`, where: record.where });
    }
    if (page.length > 0) yield page;
  }
}

function readLine({ where, values }: TaskRecord, report: ProblemHandler): TaskLine | undefined {
  try {
    if (typeof values === 'string') throw new InvalidLine(values);
    return taskLine(values);
  } catch (error) {
    if (!(error instanceof InvalidLine)) throw error;
    report(where, error.message);
    return undefined;
  }
}

/** The parts of a task that a line defines. */
type TaskLine = Omit<ProvidedTask, 'split' | 'index' | 'id'> & { split?: string; id?: string };

/** Keys that are not arguments of the reset. */
const OWN_KEYS = ['prompt', 'system_prompt', 'split', 'id'];

class InvalidLine extends Error {}

/** @throws InvalidLine */
function taskLine(values: TaskValues): TaskLine {
  const reset = resetOf(values);
  const fault = jsonProblem(reset, RESET_LEVEL);
  if (fault !== undefined) throw new InvalidLine(`reset ${fault}`);
  const prompt = text(values, 'prompt');
  const systemPrompt = text(values, 'system_prompt');
  const split = text(values, 'split');
  const id = idOf(values);
  return {
    reset,
    ...(prompt === undefined ? {} : { prompt }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(split === undefined ? {} : { split }),
    ...(id === undefined ? {} : { id }),
  };
}

/** The value of `reset`, or an object of all values with other keys. */
function resetOf(values: TaskValues): JsonText {
  const others = [...values].filter(([key]) => !OWN_KEYS.includes(key) && key !== 'reset');
  const reset = values.get('reset');
  if (reset === undefined) return `{${others.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  if (!reset.startsWith('{')) throw new InvalidLine('reset is not an object');
  if (others.length === 0) return reset;
  const keys = others.map(([key]) => `'${key}'`).join(', ');
  throw new InvalidLine(`${keys} next to reset: move the arguments of the reset into reset`);
}

/** An optional string. */
function text(values: TaskValues, key: string): string | undefined {
  const value: unknown = JSON.parse(values.get(key) ?? 'null');
  if (value === null) return undefined;
  if (typeof value !== 'string') throw new InvalidLine(`${key} is not a string`);
  if (value === '') throw new InvalidLine(`${key} is empty`);
  return value;
}

function idOf(values: TaskValues): string | undefined {
  const json = values.get('id') ?? 'null';
  return /^-?\d+$/.test(json) ? json : text(values, 'id');
}

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
    throw new UserError('unknown tasks file format', { where: file, fix: 'use a .jsonl, .csv or .json file' });
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
    throw new UserError(`not valid JSON: ${(cause as Error).message}`, { where: file, fix: 'correct the file' });
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
  if (error instanceof CsvError) {
    return new UserError(`not valid CSV: ${error.message}`, { where: file, fix: 'correct the file', cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof UserError) return error;
  const what = code === 'ENOENT' ? 'no such tasks file' : `cannot read the tasks file (${code})`;
  return new UserError(what, { where: file, fix: 'pass a readable file: --tasks FILE', cause: error });
}
