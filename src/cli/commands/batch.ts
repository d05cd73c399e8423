import { EXIT, Interrupted } from '../../errors.js';
import type { Job, Outcome } from '../../operations/batch.js';
import type { Flags } from '../../options/index.js';
import type { CommandSpec } from '../command.js';
import type { BatchBoard } from '../ui/batch.js';
import type { Terminal } from '../ui/terminal.js';

export const batch: CommandSpec = {
  name: 'batch',
  description: 'Write many sources, each with its own options, and continue if one fails',
  arguments: [
    { name: '[file]', help: 'YAML file with sources and options, or - to read one source per line from stdin' },
  ],
  examples: `\
$ gymgen batch envs.yaml
$ gymgen batch --source http://127.0.0.1:8000 --source ./bundles/qa-v1 --root gym-root
$ ls bundles/*/ -d | gymgen batch - --root gym-root --concurrency 2

A file, with any option of write:
  root: gym-root
  defaults: { limit: 100 }
  sources:
    - http://127.0.0.1:8000
    - { source: ./bundles/qa-v1, name: qa, split: [train] }`,
  exitCodes: {
    0: 'all done',
    1: 'some failed; with --check, some differ',
    2: 'nothing was started; with --check, some could not be compared',
  },
  async run(flags, file) {
    const { run } = await import('../run.js');
    await run(flags, async (terminal, signal) => {
      const work = runSources(file, flags, terminal, signal);
      await (flags.github ? (await import('../ui/github.js')).annotatingFailure(work, terminal) : work);
    });
  },
};

async function runSources(
  file: string | undefined,
  flags: Flags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const [
    { batchSources },
    { batchJobs, batchOptions },
    { runBatch },
    { BatchBoard, showBatch },
    { batchDocument },
    ui,
  ] = await Promise.all([
    import('../batch-sources.js'),
    import('../../operations/batch-jobs.js'),
    import('../../operations/batch.js'),
    import('../ui/batch.js'),
    import('../../documents/batch.js'),
    import('../ui/error.js'),
  ]);
  const options = batchOptions(flags);
  const { sources, ...others } = flags;
  const jobs = batchJobs(await batchSources(file, sources ?? [], signal), others);
  const board = new BatchBoard(jobs.length, terminal);
  const { outcomes, interruption } = await orInterrupted(runBatch(jobs, options, board, signal), jobs, board, signal);
  showBatch(outcomes, terminal);
  if (flags.github) await annotate(outcomes, terminal);
  terminal.document(batchDocument(outcomes));
  process.exitCode = interruption?.exitCode ?? exitCodeOf(outcomes, options.check);
  if (interruption) ui.showUserError(ui.withWritten(interruption), terminal);
}

/** The outcomes so far, if a signal stops the batch. */
async function orInterrupted(
  batch: Promise<Outcome[]>,
  jobs: readonly Job[],
  { outcomes }: BatchBoard,
  signal: AbortSignal,
): Promise<{ outcomes: Outcome[]; interruption?: Interrupted }> {
  try {
    return { outcomes: await batch };
  } catch (error) {
    if (!signal.aborted || !(signal.reason instanceof Interrupted)) throw error;
    const all = jobs.map((job): Outcome => outcomes.get(job) ?? { job, status: 'skipped' });
    return { outcomes: all, interruption: signal.reason };
  }
}

/** A check that could not compare a source says nothing about it. A failed write is a problem like any other. */
function exitCodeOf(outcomes: readonly Outcome[], isCheck: boolean): number {
  const codes = outcomes.map(({ status, error }) => {
    if (status === 'failed') return isCheck ? (error?.exitCode ?? EXIT.failed) : EXIT.problems;
    return status === 'differs' ? EXIT.problems : EXIT.done;
  });
  return Math.max(EXIT.done, ...codes);
}

async function annotate(outcomes: readonly Outcome[], terminal: Terminal): Promise<void> {
  const { failureAnnotation, githubAnnotations } = await import('../ui/github.js');
  for (const { job, report, error } of outcomes) {
    if (error) terminal.annotate(failureAnnotation(job.label, error));
    if (report) for (const annotation of githubAnnotations(report)) terminal.annotate(annotation);
  }
}
