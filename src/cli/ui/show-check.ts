import path from 'node:path';
import type { UserError } from '../../errors.js';
import { namesOf } from '../../gym/index.js';
import type { CheckReport } from '../../operations/check.js';
import { differenceLines } from './difference-lines.js';
import { errorDocument } from './show-error.js';
import { stateMark } from './states.js';
import type { Terminal } from './terminal.js';

/** Shows which files are not as they would be written, from what is there (-) to what would be (+). */
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

/** The same for machines. */
export function checkDocument(
  reports: readonly CheckReport[],
  failures: readonly { name: string; error: UserError }[],
) {
  const folders = reports.map(({ name, folder, changed, rows, differences, warnings, counts }) => {
    return { name, folder, status: changed ? 'differs' : 'same', rows, differences, warnings, counts };
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
