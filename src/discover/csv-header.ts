import { UserError } from '../errors.js';

/** What spreadsheets separate columns with; where the comma is the decimal separator, it is the semicolon. */
const SEPARATORS = [',', ';', '\t', '|'];
/** A first line that only Excel reads: it names the separator. */
const SEP = /^"?sep=(.)"?$/i;

/**
 * The separator of a CSV file, by its first line: a comma, unless there is none.
 * @returns also the number of the line that names the columns
 */
export function separatorOf(firstLine: string): { separator: string; headerLine: number } {
  const named = SEP.exec(firstLine)?.[1];
  if (named !== undefined) return { separator: named, headerLine: 2 };
  const unquoted = firstLine.replace(/"(?:[^"]|"")*"/g, '');
  return { separator: SEPARATORS.find((separator) => unquoted.includes(separator)) ?? ',', headerLine: 1 };
}

/**
 * The names of the columns, without blanks around them.
 * @throws UserError if a name is empty or repeated, since the cells of that column would be lost
 */
export function csvColumns(header: readonly string[], where: string): string[] {
  const names = header.map((name) => name.trim());
  const repeated = names.filter((name, at) => name !== '' && names.indexOf(name) !== at);
  const empty = names.flatMap((name, at) => (name === '' ? [`column ${at + 1} has no name`] : []));
  const details = [...empty, ...[...new Set(repeated)].map((name) => `several columns are called '${name}'`)];
  if (details.length === 0) return names;
  throw new UserError('invalid column names', { where, details, fix: 'give each column its own name, or delete it' });
}
