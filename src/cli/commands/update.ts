import type { UpdateDocument } from '../../documents/schemas.js';
import { EXIT } from '../../errors.js';
import type { Flags } from '../../options/index.js';
import type { Edits } from '../../output/index.js';
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
  const [
    operation,
    { prepareRoot },
    { eachFolder, lockedRequests },
    { showUpdate },
    { updateEntry },
    { errorDocument },
    ui,
  ] = await Promise.all([
    import('../../operations/update.js'),
    import('../../operations/write.js'),
    import('../../operations/from-lock/index.js'),
    import('../ui/write.js'),
    import('../../documents/write.js'),
    import('../../documents/error.js'),
    import('../ui/error.js'),
  ]);
  const edits: Edits = flags.force ? 'ours' : flags.theirs ? 'theirs' : 'keep';
  const dryRun = flags.dryRun ?? false;
  const how = { edits, dryRun, keepPrompts: flags.keepPrompts ?? false, dropPrompts: flags.force ?? false };
  await prepareRoot({ gymRoot, dryRun }, terminal); // before the lock files are read, which a commit writes last
  const root = await lockedRequests(gymRoot, flags);
  const folders: UpdateDocument['folders'] = [];
  const outcomes = eachFolder(root, (request) => operation.update({ ...request, ...how }, terminal, signal));
  let start = performance.now();
  for await (const { name, report, error } of outcomes) {
    if (error) {
      terminal.line(`cannot update ${name}`);
      ui.showUserError(error, terminal);
      folders.push({ name, status: 'failed', error: errorDocument(error) });
      process.exitCode = EXIT.problems;
    } else {
      showUpdate(report, { gymRoot, edits, dryRun }, (performance.now() - start) / 1000, terminal);
      folders.push(updateEntry(report, dryRun));
    }
    start = performance.now();
  }
  terminal.document({ folders } satisfies UpdateDocument);
}
