import { EXIT, UsageError, type UserError } from '../../errors.js';
import type { CheckReport } from '../../operations/check.js';
import type { LockedRoot } from '../../operations/from-lock/index.js';
import type { Flags } from '../../options/index.js';
import type { CommandSpec } from '../command.js';
import type { Terminal } from '../ui/terminal.js';

export const check: CommandSpec = {
  name: 'check',
  description: 'Compare a Gym root with what would be generated; writes nothing',
  arguments: [
    { name: '<source>', help: 'Source as in write (default: the source in each lock file)' },
    { name: '[gym-root]', help: 'Gym root to compare' },
  ],
  usage: '[source] <gym-root> [options]',
  examples: `\
$ gymgen check http://127.0.0.1:8000 gym-root     what gymgen http://127.0.0.1:8000 gym-root would change
$ gymgen check gym-root                           every folder, with the source and options in its lock file
$ gymgen check shop.jsonl.gz gym-root --github    with a recording, and annotations on a pull request`,
  exitCodes: { 0: 'nothing differs', 1: 'something differs', 2: 'a folder could not be compared' },
  async run(flags, first = '', second) {
    const { run } = await import('../run.js');
    await run(flags, async (terminal, signal) => {
      const work = checkFolders(first, second, flags, terminal, signal);
      await (flags.github ? (await import('../ui/github.js')).annotatingFailure(work, terminal) : work);
    });
  },
};

async function checkFolders(
  first: string,
  second: string | undefined,
  flags: Flags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const [operation, { eachFolder, rootToCheck }, { showCheck }, { checkDocument }, { showUserError }] =
    await Promise.all([
      import('../../operations/check.js'),
      import('../../operations/from-lock/index.js'),
      import('../ui/check.js'),
      import('../../documents/check.js'),
      import('../ui/error.js'),
    ]);
  const root = second === undefined ? await rootToCheck(first, flags) : await fromSource(first, second, flags);
  const reports: CheckReport[] = [];
  const failures: { name: string; error: UserError }[] = [];
  const outcomes = eachFolder(root, (request) => operation.check(request, terminal, signal));
  for await (const { request, name, report, error } of outcomes) {
    if (error) {
      failures.push({ name, error });
      if (flags.github) terminal.annotate((await import('../ui/github.js')).failureAnnotation(name, error));
      terminal.line(`cannot check ${name}`);
      showUserError(error, terminal);
      continue;
    }
    reports.push(report);
    showCheck(report, request.gymRoot, terminal);
    if (flags.github) await annotate(report, terminal);
  }
  terminal.document(checkDocument(reports, failures));
  // 1 if the only failures are warnings with --strict
  if (failures.length > 0) process.exitCode = Math.max(...failures.map(({ error }) => error.exitCode));
  else if (reports.some(({ changed }) => changed)) process.exitCode = EXIT.problems;
}

async function annotate(report: CheckReport, terminal: Terminal): Promise<void> {
  const { githubAnnotations } = await import('../ui/github.js');
  for (const annotation of githubAnnotations(report)) terminal.annotate(annotation);
}

async function fromSource(source: string, gymRoot: string, flags: Flags): Promise<LockedRoot> {
  if (flags.source !== undefined) {
    throw new UsageError('the source is passed twice', { fix: 'leave out --source or <source>' });
  }
  const { requestOf } = await import('../../operations/request.js');
  return { requests: [requestOf(source, gymRoot, flags)], unusable: [] };
}
