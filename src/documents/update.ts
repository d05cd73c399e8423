import type { FolderOutcome } from '../operations/from-lock/index.js';
import type { UpdateReport } from '../operations/update.js';
import { errorDocument } from './error.js';
import type { UpdateDocument } from './schemas/update.js';

/** The entry of one folder. */
export function updateEntry({
  name,
  request,
  report,
  error,
}: FolderOutcome<UpdateReport>): UpdateDocument['folders'][number] {
  if (error) return { name, status: 'failed', error: errorDocument(error) };
  const { folder, changed, rows, kept, keptPrompts, edited, plan } = report;
  const { generator } = plan;
  const { dryRun } = request;
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
