import path from 'node:path';
import { maskCredentials } from '../../credentials.js';
import { formatCount, plural } from '../../display-text.js';
import type { ValidateDocument } from '../../documents/schemas/validate.js';
import type { Judged, ValidateReport } from '../../operations/validate.js';
import { WHEN } from '../../rules/index.js';
import type { Annotation } from './github.js';
import type { Mark, Terminal } from './terminal.js';

const MARKS: Readonly<Record<'error' | 'warning', Mark>> = {
  error: { text: 'error:', color: 'red' },
  warning: { text: 'warning:', color: 'yellow' },
};

type Found = Judged['findings'][number];

/** Shows each finding with its place and fix, and a line for each target. */
export function showValidation({ targets }: ValidateReport, terminal: Terminal): void {
  for (const judged of targets) {
    for (const finding of judged.findings) showFinding(judged, finding, terminal);
    if (judged.notJudged.length > 1) for (const one of judged.notJudged) terminal.note(`not judged: ${one}`);
    terminal.result(summaryOf(judged));
  }
}

function showFinding(judged: Judged, found: Found, terminal: Terminal): void {
  const { severity, subject, problem, code, fix, why, when, more } = found;
  terminal.result(`${subject} ${problem} [${code}]`, MARKS[severity]);
  terminal.result(`  at:  ${placeOf(judged, found)}`);
  terminal.result(`  why: ${why}${when === 'never' ? '' : ` Found ${WHEN[when]}.`}`);
  terminal.result(`  fix: ${fix}`);
  if (more > 0) terminal.result(`  and ${formatCount(more)} more in this file`);
}

/** The place as editors and terminals read it: `out/environment/configs/a.yaml:3`. */
function placeOf(judged: Pick<Judged, 'kind' | 'path'>, { at: { file, line } }: Pick<Found, 'at'>): string {
  const joined = fileOf(judged, file);
  return line === undefined ? joined : `${joined}:${line}`;
}

function fileOf({ kind, path: target }: Pick<Judged, 'kind' | 'path'>, file: string): string {
  if (kind === 'server') return path.join(target, '..', '..', file);
  if (path.basename(target) === path.basename(file) && /\.(?:jsonl|yaml)$/.test(target)) return target;
  return path.join(target, file);
}

function summaryOf({ kind, path: target, findings, rows, notJudged }: Judged): string {
  const count = (severity: string) =>
    findings.filter((one) => one.severity === severity).reduce((sum, { more }) => sum + 1 + more, 0);
  const [errors, warnings] = [count('error'), count('warning')];
  const total = rows.reduce((sum, one) => sum + one.rows, 0);
  const parts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(rows.length > 0 ? [plural(total, 'row')] : []),
  ];
  const what = `${errors > 0 ? 'invalid' : 'valid'} ${kind === 'root' ? 'Gym root' : kind} ${target}`;
  return `${what}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}${missed(notJudged)}`;
}

/** What was not judged: the only part, or how many parts were named before. */
function missed(notJudged: readonly string[]): string {
  if (notJudged.length === 0) return '';
  return `; not judged: ${notJudged.length === 1 ? notJudged[0] : plural(notJudged.length, 'part')}`;
}

/** An annotation for each finding. */
export function annotationsOf(
  { targets }: Pick<ValidateReport, 'targets'>,
  workspace = process.env.GITHUB_WORKSPACE ?? process.cwd(),
): Annotation[] {
  return targets.flatMap((judged) =>
    judged.findings.map(({ at, severity, code, subject, problem, fix }) => ({
      file: path
        .relative(workspace, path.resolve(fileOf(judged, at.file)))
        .split(path.sep)
        .join('/'),
      ...(at.line === undefined ? {} : { line: at.line }),
      level: severity,
      title: `gymgen validate: ${code}`,
      lines: [`${subject} ${problem}`, `fix: ${fix}`],
    })),
  );
}

export function validateDocument({ targets, errors, warnings }: ValidateReport): ValidateDocument {
  return {
    status: errors > 0 ? 'invalid' : 'valid',
    errors,
    warnings,
    targets: targets.map(({ kind, path, findings, rows, notJudged }) => ({
      kind,
      path,
      findings: findings.map(({ at: { file, line, row }, code, severity, subject, problem, fix, why, when, more }) => ({
        ...{ code, severity, subject: maskCredentials(subject), problem: maskCredentials(problem), fix, why, when },
        file,
        ...(line === undefined ? {} : { line }),
        ...(row === undefined ? {} : { row }),
        more,
      })),
      rows: [...rows],
      notJudged: [...notJudged],
    })),
  };
}
