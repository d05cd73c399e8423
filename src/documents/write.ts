import type { UpdateReport } from '../operations/update.js';
import type { WriteReport, WriteRequest } from '../operations/write.js';
import type { UpdateDocument, WriteDocument } from './schemas.js';

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

/** The entry of one folder in the document of `update`. */
export function updateEntry(report: UpdateReport, dryRun: boolean): UpdateDocument['folders'][number] {
  const { name, folder, changed, rows, kept, keptPrompts, edited, plan } = report;
  const { generator } = plan;
  const status = dryRun ? ('planned' as const) : changed ? ('wrote' as const) : ('unchanged' as const);
  return {
    name,
    folder,
    status,
    ...(generator && { generator }),
    rows,
    kept: { ...kept },
    keptPrompts,
    edited,
    ...(dryRun && { plan: plan.entries }),
  };
}
