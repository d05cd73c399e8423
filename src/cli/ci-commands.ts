import { type Command, Option } from 'commander';
import { asStarted } from '../printed-command.js';
import type { BatchFlags } from './commands/batch.js';
import type { CheckFlags } from './commands/check.js';
import type { UpdateFlags } from './commands/update.js';
import { TASK_OPTIONS } from './task-options.js';
import { addGenerateOptions, addSomeOptions, addUiOptions, strictOption, type WriteFlags } from './write-options.js';

const CHECK = `
Examples:
  $ gymgen check http://127.0.0.1:8000 gym-root     what gymgen http://127.0.0.1:8000 gym-root would change
  $ gymgen check gym-root                           every folder, from the source and options in its lock file
  $ gymgen check shop.jsonl.gz gym-root --github    from a recording, as annotations on a pull request

Exit codes: 0 all is as it would be written, 1 something differs, 2 it can't be told.`;

const UPDATE = `
Examples:
  $ gymgen update gym-root                          a file that was edited by hand is left as it is, and shown
  $ gymgen update gym-root --keep-prompts --force   all is gymgen's, but for the prompts that were edited
  $ gymgen update gym-root --source shop.jsonl.gz   from a recording`;

const BATCH = `
Examples:
  $ gymgen batch envs.yaml
  $ gymgen batch --source http://127.0.0.1:8000 --source ./bundles/qa-v1 --root gym-root
  $ ls bundles/*/ -d | gymgen batch - --root gym-root --concurrency 2

A file, with any option of write:
  root: gym-root
  defaults: { limit: 100 }
  sources:
    - http://127.0.0.1:8000
    - { source: ./bundles/qa-v1, name: qa, split: [train] }

Exit codes: 0 all done, 1 some failed (or differ, with --check), 2 nothing was begun.`;

const RECORD = `
Examples:
  $ gymgen record http://127.0.0.1:8000 shop.jsonl.gz
  $ gymgen shop.jsonl.gz gym-root                   the same bytes as from the server`;

/** The commands that keep what was written as it should be. Each is loaded when it runs. */
export function addCiCommands(cli: Command): void {
  addUiOptions(
    addGenerateOptions(
      cli
        .command('check')
        .description('generate again, in memory, and tell what differs from what is there; writes nothing')
        .argument('<source>', 'as of write; left out, the lock files say it')
        .argument('[gym-root]', 'the folder that holds resources_servers/')
        .usage('[source] <gym-root> [options]')
        .addHelpText('after', () => asStarted(CHECK)),
    )
      .optionsGroup('How it runs:')
      .option('--source <source>', 'asked in place of the source that the lock file names')
      .option(...RUN_SOURCE)
      .option('--github', 'annotations for a GitHub workflow, on each file that differs')
      .addOption(strictOption()),
  ).action(async (source: string, gymRoot: string | undefined, flags: CheckFlags) => {
    const { checkCommand } = await import('./commands/check.js');
    await checkCommand(source, gymRoot, flags);
  });

  addUiOptions(
    addSomeOptions(
      cli
        .command('update')
        .description('write again what the lock files of a Gym root say, around what was edited by hand')
        .argument('<gym-root>', 'the folder that holds resources_servers/')
        .option('--name <name>', 'the one folder that is meant (default: all)')
        .option('--source <source>', 'asked in place of the source that the lock file names')
        .option(...RUN_SOURCE)
        .addOption(new Option('--force', "take gymgen's version of files that were edited by hand").conflicts('theirs'))
        .option('--theirs', 'leave files that were edited by hand, and record it, so that check is quiet about them')
        .option('--keep-prompts', 'keep prompts that were edited by hand, row by row, in rows that are as generated')
        .addHelpText('after', () => asStarted(UPDATE)),
      FROM_LOCK,
    ),
  ).action(async (gymRoot: string, flags: UpdateFlags) => {
    const { updateCommand } = await import('./commands/update.js');
    await updateCommand(gymRoot, flags);
  });

  addUiOptions(
    addGenerateOptions(
      cli
        .command('batch')
        .description('write many sources, each with its own options, past those that fail')
        .argument('[file]', 'a YAML file of sources and options; - reads a list of sources, one a line')
        .addHelpText('after', () => asStarted(BATCH)),
    )
      .optionsGroup('How it runs:')
      .option('--root <dir>', "the Gym root (default: the file's)")
      .option('--source <source>', 'a source; repeatable', many)
      .option('--concurrency <n>', 'sources at once (default: as many as there are processors)')
      .option('--retries <n>', 'how often a source that can not be reached is asked again (default: 2)')
      .option('--fail-fast', 'end with the first that fails')
      .option('--check', 'compare, and write nothing')
      .option('--force', "take gymgen's version of files that were edited by hand")
      .addOption(strictOption()),
  ).action(async (file: string | undefined, flags: BatchFlags) => {
    const { batchCommand } = await import('./commands/batch.js');
    await batchCommand(file, flags);
  });

  addUiOptions(
    addSomeOptions(
      cli
        .command('record')
        .description('keep what a source serves in a file, which then stands in for it everywhere')
        .argument('<source>', 'as of write')
        .argument('<file>', 'such as shop.jsonl, or shop.jsonl.gz to pack it')
        .addHelpText('after', () => asStarted(RECORD)),
      RECORDED,
    ),
  ).action(async (source: string, file: string, flags: WriteFlags) => {
    const { recordCommand } = await import('./commands/record.js');
    await recordCommand(source, file, flags);
  });
}

const many = (value: string, all: string[] = []) => [...all, value];

const RUN_SOURCE = ['--run-source', 'run the bundle or project that the lock file names'] as const;

const FROM_LOCK = ['header', 'headerEnv', 'tasks', 'python', 'trustRecording', 'maxSessions'] as const;

/** What decides which tasks and toolsets are read, and where a config will find them. */
const RECORDED = [
  'split',
  'limit',
  'configUrl',
  'headerEnv',
  'header',
  'reward',
  'maxConcurrentEnvs',
  'sandbox',
  'python',
  'trustRecording',
  'probes',
  'probeTurns',
  'maxSessions',
  'resetTimeout',
  'toolTimeout',
  'maxSteps',
  ...TASK_OPTIONS,
] as const;
