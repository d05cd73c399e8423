import type { UserError } from '../errors.js';
import type { CheckReport } from '../operations/check.js';
import { errorDocument } from './error.js';
import type { CheckDocument, CheckedFolder } from './schemas/check.js';

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
