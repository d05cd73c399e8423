import path from 'node:path';
import type { CheckReport } from '../../check/check.js';
import type { FileDifference } from '../../check/difference.js';
import { differenceLines } from './difference-lines.js';

/** Annotations show a few lines, and GitHub cuts a long one. */
const LINES = 20;

const WHAT: Record<FileDifference['state'], string> = {
  create: 'is missing',
  update: 'is not what is generated now',
  stale: 'is no longer generated',
  edited: 'was edited by hand',
  same: 'is as it should be',
};

/**
 * The workflow commands that put each difference on its file in a pull request.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(
  { folder, differences }: Pick<CheckReport, 'folder' | 'differences'>,
  workspace = process.env.GITHUB_WORKSPACE ?? process.cwd(),
): string[] {
  return differences.map((difference) => {
    const file = path.relative(workspace, path.join(folder, difference.path)).split(path.sep).join('/');
    const line = lineOf(difference);
    const place = [`file=${property(file)}`, ...(line === undefined ? [] : [`line=${line}`])];
    const all = differenceLines(difference);
    const shown = all.length > LINES ? [...all.slice(0, LINES), `(${all.length - LINES} more lines)`] : all;
    const { path: name, state, note } = difference;
    const message = [`${name} ${WHAT[state]}${note ? ` (${note})` : ''}`, ...shown].join('\n');
    return `::error ${[...place, `title=${property(`gymgen check: ${state}`)}`].join(',')}::${data(message)}`;
  });
}

function lineOf({ rows, diff }: FileDifference): number | undefined {
  const first = rows?.changed.first[0] ?? rows?.went.first[0] ?? rows?.broken.first[0] ?? rows?.came.first[0];
  if (first) return first.line;
  const hunk = /^@@ -(\d+)/.exec(diff?.[0] ?? '')?.[1];
  return hunk === undefined ? undefined : Math.max(1, Number(hunk));
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
