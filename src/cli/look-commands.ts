import type { Command } from 'commander';
import { asStarted } from '../printed-command.js';
import type { UiFlags } from './run.js';
import { addGenerateOptions, addUiOptions, strictOption, type WriteFlags } from './write-options.js';

const INSPECT = `
Examples:
  $ gymgen inspect http://127.0.0.1:8000
  $ gymgen inspect ./my_env --episodes 20           a server that lists no tasks: what its seeds change, and its tools

Exit codes: 0 NeMo Gym takes all of it, 1 it would refuse some, 2 it can't be told.`;

const DOCTOR = `
Exit codes: 0 all that is needed is there, 1 something is missing.`;

/** The commands that look and write nothing. Each is loaded when it runs. */
export function addLookCommands(cli: Command): void {
  addUiOptions(
    addGenerateOptions(
      cli
        .command('inspect')
        .description('what a source serves: splits, tools, prompts, and what NeMo Gym would refuse; writes nothing')
        .argument('<source>', 'as of write')
        .addHelpText('after', () => asStarted(INSPECT)),
    )
      .optionsGroup('How it runs:')
      .addOption(strictOption()),
  ).action(async (source: string, flags: WriteFlags) => {
    const { inspectCommand } = await import('./commands/inspect.js');
    await inspectCommand(source, flags);
  });

  addUiOptions(
    cli
      .command('doctor')
      .description('what there is on this machine of what gymgen and NeMo Gym work with, and how to get the rest')
      .addHelpText('after', DOCTOR),
  ).action(async (flags: UiFlags) => {
    const { doctorCommand } = await import('./commands/doctor.js');
    await doctorCommand(flags);
  });
}
