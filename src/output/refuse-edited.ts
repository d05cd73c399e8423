import { UserError } from '../errors.js';
import type { Plan } from '../model.js';
import { gymgenCommand } from '../printed-command.js';

/** @throws UserError that names every file that was edited by hand */
export function refuseEdited(plan: Plan, folder: string): void {
  const edited = plan.entries.filter((entry) => entry.state === 'edited');
  if (edited.length === 0) return;
  const files = edited.length === 1 ? '1 file was' : `${edited.length} files were`;
  throw new UserError(`${files} edited by hand; nothing was written`, {
    where: folder,
    details: edited.map(({ path, note }) => (note === undefined ? path : `${path} (${note})`)),
    fix: `undo the edits, keep them with ${gymgenCommand`update <gym-root>`}, or replace these files with --force`,
  });
}
