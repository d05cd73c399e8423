import path from 'node:path';
import { EXIT, Interrupted, UserError } from '../../errors.js';
import { namesOf } from '../../gym/index.js';
import { type UpdateReport, update } from '../../operations/update.js';
import { prepareRoot } from '../../operations/write.js';
import type { Edits } from '../../output/index.js';
import { withHeaderHint } from '../header-hint.js';
import { type LockFlags, lockRequests } from '../lock-requests.js';
import { run, type UiFlags } from '../run.js';
import { differenceLines } from '../ui/difference-lines.js';
import { errorDocument, showUserError } from '../ui/show-error.js';
import type { Terminal } from '../ui/terminal.js';

export interface UpdateFlags extends LockFlags, UiFlags {
  force?: boolean;
  theirs?: boolean;
  keepPrompts?: boolean;
}

/** `gymgen update <gym-root>` */
export async function updateCommand(gymRoot: string, flags: UpdateFlags): Promise<void> {
  await run(flags, async (terminal, signal) => {
    const edits: Edits = flags.force ? 'ours' : flags.theirs ? 'theirs' : 'keep';
    const how = { edits, keepPrompts: flags.keepPrompts ?? false, dropPrompts: flags.force ?? false };
    await prepareRoot({ gymRoot, dryRun: false }, terminal); // first: a commit writes the lock file last
    const requests = await lockRequests(gymRoot, flags);
    const folders: object[] = [];
    for (const request of requests) {
      const name = request.name as string;
      try {
        const report = await update({ ...request, ...how }, terminal, signal);
        show(report, path.join(gymRoot, namesOf(name).folder), edits, terminal);
        const { folder, changed, rows, kept, keptPrompts, edited } = report;
        folders.push({ name, folder, status: changed ? 'wrote' : 'unchanged', rows, kept, keptPrompts, edited });
      } catch (thrown) {
        const error = withHeaderHint(thrown, request);
        // One folder that can't be written doesn't keep the others from it.
        if (requests.length === 1 || !(error instanceof UserError) || error instanceof Interrupted) throw error;
        terminal.line(`${name} can't be updated`);
        showUserError(error, terminal);
        folders.push({ name, status: 'failed', error: errorDocument(error) });
        process.exitCode = EXIT.problems;
      }
    }
    terminal.document({ folders });
  });
}

function show(report: UpdateReport, folder: string, edits: Edits, terminal: Terminal): void {
  const { changed, edited, kept, keptPrompts } = report;
  terminal.result(`${changed ? 'wrote' : 'unchanged'} ${folder}`);
  for (const [key, value] of Object.entries(kept)) terminal.note(`  kept ${key}: ${value}, as the config has it`);
  if (keptPrompts > 0) terminal.note(`  kept your prompts in ${keptPrompts} ${keptPrompts === 1 ? 'row' : 'rows'}`);
  for (const difference of edited) {
    terminal.note(`  kept ${difference.path}, edited by hand${difference.note ? ` (${difference.note})` : ''}`);
    for (const line of differenceLines(difference)) terminal.note(`    ${line}`);
  }
  if (edited.length > 0 && edits === 'keep') for (const line of WAYS_ON) terminal.note(line);
}

const WAYS_ON = [
  '  --theirs records these edits, so that check accepts them',
  "  --force takes gymgen's version; with --keep-prompts, it keeps edited prompts",
];
