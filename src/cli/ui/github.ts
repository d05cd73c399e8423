import path from 'node:path';
import type { FileDifference } from '../../check/difference.js';
import { maskCredentials } from '../../credentials.js';
import { displayText } from '../../display-text.js';
import { UserError } from '../../errors.js';
import type { CheckReport } from '../../operations/check.js';
import { differenceLines } from './difference.js';

/** Lines of an annotation; GitHub cuts long ones. */
const LINES = 20;

const WHAT: Record<FileDifference['state'], string> = {
  create: 'is missing',
  update: 'differs from what is generated',
  stale: 'is no longer generated',
  edited: 'was edited by hand',
  same: 'is up to date',
};

/** An error on a file of a pull request. */
export interface Annotation {
  /** Relative to the workspace; undefined for a failure that is about no file. */
  file?: string;
  line?: number;
  /** Default: `error`. */
  level?: 'error' | 'warning';
  title: string;
  /** Lines of the message. */
  lines: readonly string[];
}

/** An annotation for each file that differs. */
export function githubAnnotations(
  { folder, differences }: Pick<CheckReport, 'folder' | 'differences'>,
  workspace = process.env.GITHUB_WORKSPACE ?? process.cwd(),
): Annotation[] {
  return differences.map((difference) => {
    const { path: name, state, note } = difference;
    const line = lineOf(difference);
    const all = differenceLines(difference);
    const shown = all.length > LINES ? [...all.slice(0, LINES), `(${all.length - LINES} more lines)`] : all;
    return {
      file: path.relative(workspace, path.join(folder, name)).split(path.sep).join('/'),
      ...(line === undefined ? {} : { line }),
      title: `gymgen check: ${state}`,
      lines: [`${name} ${WHAT[state]}${note ? ` (${note})` : ''}`, ...shown],
    };
  });
}

/** An annotation for a folder that could not be compared. */
export function failureAnnotation(name: string | undefined, { message, where, details, fix }: UserError): Annotation {
  return {
    title: 'gymgen check: failed',
    lines: [
      `${name === undefined ? '' : `${name}: `}${message}`,
      ...details.slice(0, LINES),
      ...(where === undefined ? [] : [`at: ${where}`]),
      ...(fix === undefined ? [] : [`fix: ${fix}`]),
    ].map(maskCredentials),
  };
}

/** Annotates the error of a command, if it fails. */
export async function annotatingFailure(
  work: Promise<void>,
  terminal: { annotate(annotation: Annotation): void },
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserError) terminal.annotate(failureAnnotation(undefined, error));
    throw error;
  }
}

/**
 * The workflow command of an annotation, on one line. `displayText` keeps the message from starting another command.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function workflowCommand({ file, line, level = 'error', title, lines }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${lines.map(data).join('%0A')}`;
}

function lineOf({ rows, diff }: FileDifference): number | undefined {
  if (rows) {
    const { changed, removed, broken, repeated, reordered, moved, blank, added } = rows;
    const named = [changed, removed, broken, repeated, reordered, moved].flatMap(({ first }) => first.slice(0, 1));
    return named[0]?.line ?? blank.first[0] ?? added.first[0]?.line;
  }
  const hunk = /^@@ -(\d+)/.exec(diff?.[0] ?? '')?.[1];
  return hunk === undefined ? undefined : Math.max(1, Number(hunk));
}

function data(text: string): string {
  return displayText(text).replaceAll('%', '%25');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
