import { formatCount } from '../../display-text.js';
import type { PackageDocument } from '../../documents/schemas/package.js';
import type { FilesetReport, PackageReport } from '../../operations/package.js';
import type { Flags } from '../../options/index.js';
import { stateMark, type Terminal } from './terminal.js';

/** Shows what was written, or would be, and the next commands. */
export function showPackage(report: PackageReport, { check, dryRun }: Flags, terminal: Terminal): void {
  const { changed, folder, entries, warnings, notes, commands } = report;
  const status = check ? (changed ? 'differs' : 'same') : dryRun ? 'planned' : changed ? 'wrote' : 'unchanged';
  if (check) {
    for (const { path, state } of entries) if (state !== 'same') terminal.result(path, stateMark(state));
  } else if (dryRun) for (const line of plan(report)) terminal.result(line);
  if (!dryRun) terminal.result(`${status} ${folder}`);
  if (!check) {
    for (const line of dryRun ? [] : summary(report)) terminal.note(line);
    for (const { path, why } of report.leftOut.filter((file) => dryRun || file.why.includes('--carry'))) {
      terminal.note(`  left out: ${path}: ${why}`);
    }
    for (const note of notes) terminal.note(`  ${note}`);
  }
  for (const warning of warnings) terminal.warn(warning);
  if (!check && !dryRun) for (const line of ['', 'Next, with the nemo CLI:']) terminal.note(line);
  if (!check && !dryRun) for (const command of commands) terminal.note(`  ${command}`);
  terminal.document({
    status,
    folder,
    servers: report.servers,
    environment: report.environment,
    dataset: { ...report.dataset, rows: report.rows },
    leftOut: report.leftOut,
    entries,
    warnings,
    notes,
    commands,
  } satisfies PackageDocument);
}

function plan(report: PackageReport): string[] {
  return [report.environment, report.dataset].flatMap((set) => [
    `${set.name}: ${size(set)}`,
    ...set.files.map(({ path, size: bytes }) => `  ${path}  ${formatCount(bytes)} bytes`),
  ]);
}

function summary({ environment, dataset, rows }: PackageReport): string[] {
  const counts = rows.map(({ path, rows: count }) => `${path} ${formatCount(count)} rows`);
  return [
    `  environment/  ${environment.name}: ${size(environment)}`,
    `  dataset/      ${dataset.name}: ${counts.join(', ')}`,
  ];
}

function size({ files }: FilesetReport): string {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const amount = bytes < 10 * 1024 ? `${formatCount(bytes)} bytes` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${formatCount(files.length)} ${files.length === 1 ? 'file' : 'files'}, ${amount}`;
}
