import path from 'node:path';
import type { FileDifference } from '../../check/difference.js';
import { formatCount } from '../../display-text.js';
import type { UserError } from '../../errors.js';
import { namesOf } from '../../gym/index.js';
import type { GeneratorChange } from '../../model.js';
import type { CheckReport } from '../../operations/check.js';
import type { CheckDocument, CheckedFolder } from '../documents.js';
import { differenceLines } from './difference.js';
import { errorDocument } from './error.js';
import { type Mark, stateMark, type Terminal } from './terminal.js';

/** Shows the files that differ, with existing lines (-) and generated lines (+). */
export function showCheck(report: CheckReport, gymRoot: string, terminal: Terminal): void {
  const { name, differences } = report;
  const folder = path.join(gymRoot, namesOf(name).folder);
  terminal.result(`${differences.length === 0 ? 'same' : 'differs'} ${folder}`);
  showDetails(report, terminal);
}

/** What differs, and what is not compared. */
export function showDetails(report: CheckReport, terminal: Terminal): void {
  const { differences } = report;
  for (const difference of differences.filter(({ isGymgenChange }) => !isGymgenChange)) {
    showState(difference, terminal);
    for (const line of differenceLines(difference)) terminal.result(`        ${line}`);
  }
  showGymgenChange(report, terminal);
  showExceptions(report, terminal);
}

/** Files that differ only because gymgen changed: their content says nothing of the source. */
function showGymgenChange({ differences, plan }: CheckReport, terminal: Terminal): void {
  if (plan.generator === undefined) return;
  terminal.result(gymgenChange(plan.generator));
  for (const difference of differences.filter(({ isGymgenChange }) => isGymgenChange)) {
    showState(difference, terminal);
    if (terminal.options.verbose) for (const line of differenceLines(difference)) terminal.result(`        ${line}`);
  }
}

function showState({ path, state, note }: FileDifference, terminal: Terminal): void {
  terminal.result(` ${path}${note ? ` (${note})` : ''}`, stateMark(state));
}

/** A line that tells a change of gymgen from one of the source. */
export function gymgenChange({ before, now }: GeneratorChange): string {
  return `gymgen itself changed since this folder was written (revision ${before}, now ${now}):`;
}

/** What a check without differences does not compare. */
function showExceptions({ keptFiles, unlisted, former, envName, sample }: CheckReport, terminal: Terminal): void {
  for (const { path, note } of keptFiles) terminal.result(` ${path} (${note})`, KEPT);
  for (const path of unlisted) terminal.result(` ${path} (gymgen did not write it)`, OTHER);
  for (const name of former) terminal.result(` ${name} (written from this source, which now serves ${envName})`, OTHER);
  const { probed, tasks } = sample;
  if (probed < tasks) terminal.note(`  ${formatCount(probed)} of ${formatCount(tasks)} tasks probed for their tools`);
}

const KEPT: Mark = { text: 'kept  ', colour: 'magenta' };
const OTHER: Mark = { text: 'other ', colour: 'yellow' };

export function checkDocument(
  reports: readonly CheckReport[],
  failures: readonly { name: string; error: UserError }[],
): CheckDocument {
  const differs = reports.some(({ changed }) => changed);
  return {
    status: failures.length > 0 ? 'failed' : differs ? 'differs' : 'same',
    folders: reports.map(checkedFolder),
    ...(failures.length > 0 && {
      failures: failures.map(({ name, error }) => ({ name, ...errorDocument(error) })),
    }),
  };
}

/** The entry of one folder in the document. */
export function checkedFolder(report: CheckReport): CheckedFolder {
  const { name, folder, changed, plan, rows, differences, keptFiles, unlisted, former, sample, warnings, counts } =
    report;
  const { generator } = plan;
  return {
    name,
    folder,
    status: changed ? 'differs' : 'same',
    ...(generator && { generator }),
    rows,
    differences,
    keptFiles,
    unlisted,
    former,
    sample,
    warnings: [...warnings],
    counts,
  };
}
