import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DATASET_RULES, judge, type RowContext, TRAINING, VALIDATION } from '../rules/index.js';
import type { Collector } from './collector.js';
import { judgeRows, type RowsRequest } from './rows.js';

/** Judges a dataset: a folder, or one of its files. @returns the rows of each file */
export async function judgeDataset(
  path: string,
  isFolder: boolean,
  request: Pick<RowsRequest, 'signal' | 'progress'> & { context: RowContext },
  found: Collector,
): Promise<{ file: string; rows: number }[]> {
  const folder = isFolder ? path : dirname(path);
  const files = isFolder ? (await readdir(folder)).sort() : [basename(path)];
  const rows = new Map<string, number>();
  const wanted = isFolder ? files.filter((file) => file === TRAINING || file === VALIDATION) : files;
  // If no file has the right name, all .jsonl files are judged.
  for (const file of wanted.length > 0 ? wanted : files.filter((file) => file.endsWith('.jsonl'))) {
    const count = await judgeRows({ ...request, path: join(folder, file), file }, found);
    if (count !== undefined) rows.set(file, count);
  }
  found.add(judge(DATASET_RULES, { files, rows, isFolder }));
  return [...rows].map(([file, count]) => ({ file, rows: count }));
}
