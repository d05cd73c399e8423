import type { FieldChange, FileDifference, Named, RowChange, RowsDifference } from '../../check/difference.js';
import { formatCount } from '../../display-text.js';

/** The meaning of the signs in the lines below, if there are such lines. */
export function legend(differences: readonly FileDifference[]): string[] {
  const hasSigns = differences.some(({ diff, rows }) => rows !== undefined || (diff !== undefined && diff.length > 0));
  return hasSigns ? ['- in the folder   + generated   ~ changed   ! invalid'] : [];
}

/** The differences in one file: for a text a diff, for rows the tasks that were added, removed or changed. */
export function differenceLines({ state, diff, rows }: FileDifference): string[] {
  if (rows) return rowLines(rows);
  if (diff && diff.length > 0) return diff;
  return state === 'edited' || state === 'update' ? ['(no visible difference)'] : [];
}

function rowLines({
  added,
  removed,
  changed,
  moved,
  reordered,
  broken,
  repeated,
  blank,
  unended,
}: RowsDifference): string[] {
  const fields = Object.entries(changed.fields).map(([field, count]) => `${field} (${rows(count)})`);
  return [
    ...namedLines('-', removed, 'removed', 'more removed'),
    ...namedLines('+', added, 'added', 'more added'),
    ...namedLines('!', broken, 'is not a row', 'more lines that are not rows'),
    ...namedLines('!', repeated, 'is repeated', 'more repeated'),
    ...namedLines('!', reordered, 'is out of order', 'more out of order'),
    ...blankLines(blank),
    ...(unended ? ['! the last line has no line break'] : []),
    ...changed.first.flatMap(changeLines),
    ...(changed.count > changed.first.length
      ? [`~ ${changed.count - changed.first.length} more; in total: ${fields.join(', ')}`]
      : []),
    ...(moved.count > 0 ? [`~ ${rows(moved.count)}: only the index differs (${namesIn(moved)})`] : []),
  ];
}

function namedLines(sign: string, { count, first }: Named, what: string, more: string): string[] {
  const lines = first.map(({ task, line }) => `${sign} ${task} ${what} (line ${line})`);
  return count > first.length ? [...lines, `${sign} ${formatCount(count - first.length)} ${more}`] : lines;
}

const SHOWN = 3;

function namesIn({ count, first }: Named): string {
  const names = first.slice(0, SHOWN).map(({ task }) => task);
  return [...names, ...(count > SHOWN ? ['…'] : [])].join(', ');
}

function blankLines({ count, first }: RowsDifference['blank']): string[] {
  const lines = first.map((line) => `! line ${line} is blank`);
  return count > first.length ? [...lines, `! ${formatCount(count - first.length)} more blank lines`] : lines;
}

function changeLines({ task, line, fields }: RowChange): string[] {
  return [`~ ${task} (line ${line}): ${fields.map(({ field }) => field).join(', ')}`, ...fields.flatMap(fieldLines)];
}

function fieldLines({ before, after }: FieldChange): string[] {
  const shown = (sign: string, value: string | null) =>
    value === null ? [] : [`    ${sign} ${JSON.stringify(value)}`];
  return [...shown('-', before), ...shown('+', after)];
}

function rows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;
}
