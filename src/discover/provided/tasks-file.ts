import { UserError } from '../../errors.js';
import { LIMITS, overLimit } from '../../limits.js';
import type { JsonText, Split } from '../../model.js';
import { jsonFault } from '../../rules/index.js';
import { FingerprintSet, fingerprint } from '../fingerprints.js';
import type { TaskSelection } from '../listing.js';
import { chooseSplits } from '../listing.js';
import { taskRecords } from './task-records.js';
import type { TaskRecord, TaskValues } from './tasks.js';
import { DEFAULT_SPLIT, type ProvidedTask, type ProvidedTasks } from './tasks.js';

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
    'a line has the arguments of a reset, or reset with these arguments; and optionally prompt, system_prompt, split and id';
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

/** What a line defines. */
type TaskLine = Omit<ProvidedTask, 'split' | 'index' | 'id'> & { split?: string; id?: string };

/** Keys that are not arguments of the reset. */
const OWN_KEYS = ['prompt', 'system_prompt', 'split', 'id'];

class InvalidLine extends Error {}

/** @throws InvalidLine */
function taskLine(values: TaskValues): TaskLine {
  const reset = resetOf(values);
  const fault = jsonFault(reset);
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
  throw new InvalidLine(`${keys} beside reset: move arguments of the reset into reset`);
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
