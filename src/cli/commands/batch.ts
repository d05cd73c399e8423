import os from 'node:os';
import { addAbortSignal } from 'node:stream';
import { withoutCredentials } from '../../credentials.js';
import { EXIT, UserError } from '../../errors.js';
import type { Job } from '../../operations/batch.js';
import { type Flags, OPTIONS, passed } from '../../options/index.js';
import { gymgenCommand } from '../../printed-command.js';
import type { BatchSource } from '../batch-file.js';
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
  exitCodes: { 0: 'all done', 1: 'some failed, or differ with --check', 2: 'nothing was begun' },
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
  const [{ runBatch }, { parseFlags }, { BatchBoard, batchDocument, showBatch }] = await Promise.all([
    import('../../operations/batch.js'),
    import('../../options/parse.js'),
    import('../ui/batch.js'),
  ]);
  const { concurrency, retries } = parseFlags({ concurrency: flags.concurrency, retries: flags.retries });
  const options = {
    concurrency: concurrency ?? os.availableParallelism(),
    retries: retries ?? OPTIONS.retries.default,
    failFast: flags.failFast ?? false,
    check: flags.check ?? false,
  };
  const jobs = await jobsOf(file, flags, signal);
  const outcomes = await runBatch(jobs, options, new BatchBoard(jobs.length, terminal), signal);
  showBatch(outcomes, terminal);
  terminal.document(batchDocument(outcomes));
  if (outcomes.some(({ status }) => status === 'failed' || status === 'differs')) process.exitCode = EXIT.problems;
}

const STDIN = 'standard input';

async function jobsOf(file: string | undefined, flags: Flags, signal: AbortSignal): Promise<Job[]> {
  const { root, sources = [], ...others } = flags;
  const isFile = file !== undefined && file !== '-';
  if ([isFile, file === '-', sources.length > 0].filter(Boolean).length !== 1) {
    throw new UserError('batch needs a file, a list on standard input, or --source', {
      fix: gymgenCommand`batch FILE.yaml, batch - < LIST, or batch --source URL --source URL --root GYM_ROOT`,
    });
  }
  const { readBatchFile } = await import('../batch-file.js');
  const batch = isFile ? readBatchFile(file) : { sources: listed(file === '-' ? await lines(signal) : sources) };
  if (batch.sources.length === 0) {
    throw new UserError('no sources to process', {
      where: STDIN,
      fix: 'write one source per line; blank lines and lines that begin with # are skipped',
    });
  }
  const gymRoot = root ?? ('root' in batch ? batch.root : undefined);
  if (gymRoot === undefined) throw new UserError('no Gym root is named', { fix: 'add --root GYM_ROOT' });
  return Promise.all(batch.sources.map((entry) => jobOf(entry, gymRoot, others)));
}

/** Options of the command line override those of the file. */
async function jobOf({ source, flags, where }: BatchSource, gymRoot: string, others: Flags): Promise<Job> {
  const { requestOf } = await import('../../operations/request.js');
  try {
    const request = requestOf(source, gymRoot, { ...flags, ...passed(others) });
    return { label: request.name ?? withoutCredentials(source), request };
  } catch (error) {
    throw error instanceof UserError ? error.at(where) : error;
  }
}

/** One source per line, without blank lines and comments. */
async function lines(signal: AbortSignal): Promise<string[]> {
  const [{ utf8Text }, { LIMITS, overLimit }] = await Promise.all([
    import('../../json/utf8.js'),
    import('../../limits.js'),
  ]);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LIMITS.configBytes) throw overLimit('configBytes', { where: STDIN });
  }
  const text = utf8Text(Buffer.concat(chunks), STDIN);
  const all = text.split(/\r?\n/).map((line) => line.trim());
  return all.filter((line) => line !== '' && !line.startsWith('#'));
}

function listed(sources: readonly string[]): BatchSource[] {
  return sources.map((source) => ({ source, flags: {}, where: withoutCredentials(source) }));
}
