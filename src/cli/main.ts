import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { displayText } from '../display-text.js';
import { EXIT, noCurrentFolder } from '../errors.js';
import { asStarted, gymgenCommand } from '../printed-command.js';
import { refuseEmpty, refuseMistyped } from './arguments.js';
import { addCommand, type CommandSpec, notesOf, usageParts } from './command.js';
import { batch } from './commands/batch.js';
import { check } from './commands/check.js';
import { completion } from './commands/completion.js';
import { demo } from './commands/demo.js';
import { doctor } from './commands/doctor.js';
import { inspect } from './commands/inspect.js';
import { packageCommand } from './commands/package.js';
import { play } from './commands/play.js';
import { record } from './commands/record.js';
import { report } from './commands/report.js';
import { trainerAxolotl } from './commands/trainer-axolotl.js';
import { trainerNemoRl } from './commands/trainer-nemo-rl.js';
import { trainerVerl } from './commands/trainer-verl.js';
import { update } from './commands/update.js';
import { validate } from './commands/validate.js';
import { write } from './commands/write.js';
import { mayClose } from './ui/closed-pipe.js';

/** In the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  write,
  check,
  update,
  batch,
  record,
  inspect,
  packageCommand,
  validate,
  trainerNemoRl,
  trainerAxolotl,
  trainerVerl,
  play,
  report,
  doctor,
  completion,
  demo,
];

export const EXIT_CODES: Readonly<Record<number, string>> = {
  [EXIT.done]: 'done',
  [EXIT.problems]: 'problems found',
  [EXIT.failed]: 'the command failed',
  [EXIT.hungUp]: 'terminal closed',
  [EXIT.interrupted]: 'interrupted (Ctrl-C)',
  [EXIT.terminated]: 'terminated',
};

/** Runs the command line. Sets `process.exitCode`, and never throws. */
export async function main(argv: string[]): Promise<void> {
  mayClose(process);
  try {
    if (argv[2] === 'complete' && argv[3] === '--') {
      const { printSuggestions } = await import('./completion.js');
      return printSuggestions(argv.slice(4), COMMANDS);
    }
    assertCurrentFolder();
    const cli = program();
    await refuseMistyped(
      argv.slice(2),
      COMMANDS.map(({ name }) => name.split(' ')[0] as string),
    );
    await cli.parseAsync(argv);
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    process.exitCode = isHelp ? EXIT.done : await failed(error, argv);
  }
}

/** Commands resolve paths and print how gymgen was started, which needs the current folder. */
function assertCurrentFolder(): void {
  try {
    process.cwd();
  } catch (error) {
    throw noCurrentFolder(error);
  }
}

/** Reports an error of the command line itself. @returns the exit code */
async function failed(error: unknown, argv: readonly string[]): Promise<number> {
  const { showError, showUsageError } = await import('./ui/error.js');
  const { Terminal } = await import('./ui/terminal.js');
  const end = argv.indexOf('--');
  const json = argv.slice(0, end === -1 ? undefined : end).includes('--json');
  const terminal = new Terminal({ json, quiet: false, verbose: false });
  return error instanceof CommanderError ? showUsageError(error, terminal) : showError(error, terminal);
}

function program(): Command {
  const cli = new Command('gymgen')
    .description('Turns an OpenEnv server into a NeMo Gym resources server, ready to train on.')
    .usage('[write] <source> <gym-root> [options]')
    .version(version(), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command]', 'Print the help of a command')
    .showHelpAfterError(`(${gymgenCommand`--help`} shows the commands and examples)`)
    .addHelpText('after', () => `${asStarted(notesOf({ examples: write.examples, exitCodes: EXIT_CODES }))}\n\n${DOCS}`)
    .configureHelp({ optionDescription: ({ description }) => description }) // the flags name the choices
    .configureOutput({ outputError: (text, print) => print(usageError(text)) })
    .exitOverride()
    .hook('preAction', (_, command) => refuseEmpty(command));
  for (const command of COMMANDS) addCommand(cli, command);
  return cli;
}

const DOCS = 'Docs: README.md and docs/ in the package.';

/** Commander's message on one line, except the option that it suggests. */
function usageError(text: string): string {
  const [error, suggestion] = usageParts(text);
  return `${displayText(error)}${suggestion && `\n${suggestion}`}\n`;
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
