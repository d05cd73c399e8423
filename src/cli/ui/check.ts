import path from 'node:path';
import type { FileDifference } from '../../check/difference.js';
import { formatCount } from '../../display-text.js';
import { namesOf } from '../../gym/index.js';
import type { GeneratorChange } from '../../model.js';
import type { CheckReport } from '../../operations/check.js';
import { differenceLines, legend } from './difference.js';
import { type Mark, stateMark, type Terminal } from './terminal.js';

/** Shows the files that differ, with existing lines (-) and generated lines (+). */
export function showCheck(report: CheckReport, gymRoot: string, terminal: Terminal): void {
  const { name, differences } = report;
  const folder = path.join(gymRoot, namesOf(name).folder);
  terminal.result(`${differences.length === 0 ? 'same' : 'differs'} ${folder}`);
  showDetails(report, terminal);
}

/** What differs, and what is not compared. With `--quiet`, only the states of the files. */
export function showDetails(report: CheckReport, terminal: Terminal): void {
  const { verbose, quiet } = terminal.options;
  const isOurs = ({ isGymgenChange }: FileDifference) => isGymgenChange === true;
  const others = report.differences.filter((difference) => !isOurs(difference));
  const ours = report.differences.filter(isOurs);
  const lines = (difference: FileDifference) => (quiet ? [] : differenceLines(difference));
  if (!quiet) for (const line of legend(verbose ? report.differences : others)) terminal.result(line);
  for (const difference of others) showFile(difference, lines(difference), terminal);
  const { generator } = report.plan;
  if (generator && !quiet) terminal.result(gymgenChange(generator));
  // The content of these files says nothing about the source.
  for (const difference of ours) showFile(difference, verbose ? lines(difference) : [], terminal);
  if (!quiet) showExceptions(report, terminal);
}

function showFile({ path, state, note }: FileDifference, lines: readonly string[], terminal: Terminal): void {
  terminal.result(` ${path}${note ? ` (${note})` : ''}`, stateMark(state));
  for (const line of lines) terminal.result(`        ${line}`);
}

/** A line that distinguishes a change of gymgen from a change of the source. */
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

const KEPT: Mark = { text: 'kept  ', color: 'magenta' };
const OTHER: Mark = { text: 'other ', color: 'yellow' };
