import os from 'node:os';
import { EXIT } from '../../errors.js';
import { type Flags, OPTIONS } from '../../options/index.js';
import type { CommandSpec } from '../command.js';
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
  exitCodes: { 0: 'all done', 1: 'some failed, or differ with --check', 2: 'nothing was started' },
  async run(flags, file) {
    const { run } = await import('../run.js');
    await run(flags, (terminal, signal) => runSources(file, flags, terminal, signal));
  },
};

async function runSources(
  file: string | undefined,
  flags: Flags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const [{ batchJobs }, { runBatch }, { parseFlags }, { BatchBoard, batchDocument, showBatch }] = await Promise.all([
    import('../batch-jobs.js'),
    import('../../operations/batch.js'),
    import('../../options/flags.js'),
    import('../ui/batch.js'),
  ]);
  const { concurrency, retries } = parseFlags({ concurrency: flags.concurrency, retries: flags.retries });
  const options = {
    concurrency: concurrency ?? os.availableParallelism(),
    retries: retries ?? OPTIONS.retries.default,
    failFast: flags.failFast ?? false,
    check: flags.check ?? false,
  };
  const jobs = await batchJobs(file, flags, signal);
  const outcomes = await runBatch(jobs, options, new BatchBoard(jobs.length, terminal), signal);
  showBatch(outcomes, terminal);
  terminal.document(batchDocument(outcomes));
  if (outcomes.some(({ status }) => status === 'failed' || status === 'differs')) process.exitCode = EXIT.problems;
}
