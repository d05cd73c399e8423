import { UserError } from '../errors.js';
import { LIMITS, overLimit } from '../limits.js';
import type { Split } from '../model.js';
import { chosenSplits } from './chosen-splits.js';
import { FingerprintSet, fingerprint } from './fingerprints.js';
import { DEFAULT_SPLIT, type GivenOptions, type GivenTask, type GivenTasks } from './given-tasks.js';
import { BadLine, readTaskLine } from './task-line.js';
import { type TaskRecord, taskRecords } from './task-records.js';

/** Faults that are told at once. */
const TOLD = 20;

/**
 * The tasks of a file: `.jsonl`, `.csv` or `.json`. It is read once to check all of it, and once more for each split.
 * @throws UserError naming the lines that are no tasks
 */
export async function tasksFile(file: string, { splits: wanted, limit }: GivenOptions): Promise<GivenTasks> {
  const counts = await check(file);
  const chosen = chosenSplits([...counts.keys()], wanted);
  const splits = chosen.map((name): Split => ({ name, count: Math.min(counts.get(name) ?? 0, limit) }));
  const countOf = new Map(splits.map(({ name, count }) => [name, count]));
  return {
    splits,
    varied: 'reset arguments',
    async *tasks(split) {
      let left = countOf.get(split) ?? 0;
      for await (const page of read(file)) {
        const own = page.filter((task) => task.split === split).slice(0, left);
        left -= own.length;
        if (own.length > 0) yield own;
        if (left === 0) return;
      }
      throw new UserError('the tasks file changed while it was read', { where: file, fix: 'run gymgen again' });
    },
  };
}

/** @returns how many tasks each split has, in the order in which they come */
async function check(file: string): Promise<Map<string, number>> {
  const faults: string[] = [];
  const ids = new FingerprintSet();
  const counts = new Map<string, number>();
  const fault = (where: string, what: string) => {
    faults.push(`${where}: ${what}`);
    if (faults.length >= TOLD) throw refusal(faults);
  };
  for await (const page of read(file, fault)) {
    for (const { id, split, index, where } of page) {
      counts.set(split, index + 1);
      if (counts.size > LIMITS.splits) throw overLimit('splits', { where });
      if (!ids.add(fingerprint(id))) fault(where, `its id '${id}' is another task's already`);
    }
  }
  if (faults.length > 0) throw refusal(faults);
  if (counts.size === 0) throw new UserError('the tasks file has no tasks', { where: file, fix: 'write one a line' });
  return counts;
}

function refusal(details: string[]): UserError {
  const fix =
    'a line has reset (keyword arguments) or these arguments themselves, and prompt, system_prompt, split, id where wanted';
  return new UserError('lines of the tasks file are no tasks; nothing was written', { details, fix });
}

type Fault = (where: string, what: string) => void;

async function* read(file: string, fault: Fault = () => {}): AsyncGenerator<(GivenTask & { where: string })[]> {
  const next = new Map<string, number>();
  for await (const records of taskRecords(file)) {
    const page: (GivenTask & { where: string })[] = [];
    for (const record of records) {
      const line = lineOf(record, fault);
      if (line === undefined) continue;
      const { split = DEFAULT_SPLIT, id, ...rest } = line;
      const index = next.get(split) ?? 0;
      next.set(split, index + 1);
      page.push({ ...rest, split, index, id: id ?? `${split}-${index}`, where: record.where });
    }
    if (page.length > 0) yield page;
  }
}

function lineOf({ where, values }: TaskRecord, fault: Fault) {
  try {
    if (typeof values === 'string') throw new BadLine(values);
    return readTaskLine(values);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    fault(where, error.message);
    return undefined;
  }
}
