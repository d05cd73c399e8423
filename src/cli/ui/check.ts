import path from 'node:path';
import type { UserError } from '../../errors.js';
import { namesOf } from '../../gym/index.js';
import type { CheckReport } from '../../operations/check.js';
import type { CheckDocument } from '../documents.js';
import { differenceLines } from './difference.js';
import { errorDocument } from './error.js';
import { stateMark, type Terminal } from './terminal.js';

/** Shows the files that differ, with existing lines (-) and generated lines (+). */
export function showCheck({ name, differences }: CheckReport, gymRoot: string, terminal: Terminal): void {
  const folder = path.join(gymRoot, namesOf(name).folder);
  if (differences.length === 0) {
    terminal.result(`same ${folder}`);
    return;
  }
  terminal.result(`differs ${folder}`);
  for (const difference of differences) {
    const { path, state, note } = difference;
    terminal.result(` ${path}${note ? ` (${note})` : ''}`, stateMark(state));
    for (const line of differenceLines(difference)) terminal.result(`        ${line}`);
  }
}

export function checkDocument(
  reports: readonly CheckReport[],
  failures: readonly { name: string; error: UserError }[],
): CheckDocument {
  const folders = reports.map(({ name, folder, changed, rows, differences, warnings, counts }) => {
    const status = changed ? ('differs' as const) : ('same' as const);
    return { name, folder, status, rows, differences, warnings: [...warnings], counts };
  });
  const differs = reports.some(({ changed }) => changed);
  return {
    status: failures.length > 0 ? 'failed' : differs ? 'differs' : 'same',
    folders,
    ...(failures.length > 0 && {
      failures: failures.map(({ name, error }) => ({ name, ...errorDocument(error) })),
    }),
  };
}
