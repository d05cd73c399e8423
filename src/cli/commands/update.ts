import type { UpdateDocument } from '../../documents/schemas/update.js';
import { EXIT } from '../../errors.js';
import type { Flags } from '../../options/index.js';
import type { CommandSpec } from '../command.js';
import type { Terminal } from '../ui/terminal.js';

export const update: CommandSpec = {
  name: 'update',
  description: 'Regenerate the folders of a Gym root, keeping manual edits',
  arguments: [{ name: '<gym-root>', help: 'Gym root to update' }],
  examples: `\
$ gymgen update gym-root                          keeps files that were edited by hand, and shows the differences
$ gymgen update gym-root --dry-run                shows what would change; writes nothing
$ gymgen update gym-root --keep-prompts --force   keeps only edited prompts
$ gymgen update gym-root --source shop.jsonl.gz   reads a recording instead of the server`,
  exitCodes: { 0: 'all folders updated', 1: 'some folders could not be updated', 2: 'nothing was updated' },
  async run(flags, gymRoot = '') {
    const { run } = await import('../run.js');
    await run(flags, (terminal, signal) => updateFolders(gymRoot, flags, terminal, signal));
  },
};

async function updateFolders(gymRoot: string, flags: Flags, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const [operation, { eachFolder, rootToUpdate }, { showUpdate }, { updateEntry }, { showUserError }] =
    await Promise.all([
      import('../../operations/update.js'),
      import('../../operations/from-lock/index.js'),
      import('../ui/write.js'),
      import('../../documents/update.js'),
      import('../ui/error.js'),
    ]);
  const { dryRun = false } = flags;
  const root = await rootToUpdate(gymRoot, flags, terminal);
  const folders: UpdateDocument['folders'] = [];
  const start = performance.now();
  for await (const outcome of eachFolder(root, (request) => operation.update(request, terminal, signal))) {
    if (outcome.error) {
      terminal.line(`cannot update ${outcome.name}`);
      showUserError(outcome.error, terminal);
      process.exitCode = EXIT.problems;
    } else {
      const { report, request } = outcome;
      showUpdate(report, { gymRoot, edits: request.edits, dryRun }, (performance.now() - start) / 1000, terminal);
    }
    folders.push(updateEntry(outcome));
  }
  terminal.document({ folders } satisfies UpdateDocument);
}
