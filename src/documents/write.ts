import type { WriteReport, WriteRequest } from '../operations/write.js';
import type { WriteDocument } from './schemas/write.js';

/** The row is the text of its line: as a JSON value, numbers would lose their spelling. */
export function writeDocument(report: WriteReport, { dryRun }: Pick<WriteRequest, 'dryRun'>): WriteDocument {
  const { name, folder, envName, changed, rows, toolsets, datasets, notes, warnings, kept, plan, row, counts } = report;
  const status = dryRun ? 'planned' : changed ? 'wrote' : 'unchanged';
  const found = {
    rows,
    toolsets,
    ...(datasets && { datasets }),
    notes: [...notes],
    warnings: [...warnings],
    kept: { ...kept },
    counts,
  };
  const base = { status, folder, name, environment: envName, ...found } as const;
  return dryRun ? { ...base, plan: plan.entries, row } : base;
}
