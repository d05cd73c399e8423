import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT, noCurrentFolder } from '../errors.js';
import { refuseEmpty, refuseMistyped } from './arguments.js';
import { addCommand, type CommandSpec } from './command.js';
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
import { addNotes, HELP } from './help.js';
import { mayClose } from './ui/closed-pipe.js';
import { isHelp, withUsageErrors } from './usage-error.js';

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
    await refuseMistyped(argv.slice(2), [...COMMANDS.map(({ name }) => name.split(' ')[0] as string), 'help']);
    await cli.parseAsync(isBare(argv) ? [...argv, '--help'] : argv);
  } catch (error) {
    process.exitCode = isHelp(error) ? EXIT.done : await failed(error, argv);
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
  const { showError } = await import('./ui/error.js');
  const { Terminal } = await import('./ui/terminal.js');
  const end = argv.indexOf('--');
  const json = argv.slice(0, end === -1 ? undefined : end).includes('--json');
  const terminal = new Terminal({ json, quiet: false, verbose: false });
  return showError(error, terminal);
}

function program(): Command {
  const cli = new Command('gymgen')
    .description('Turns an OpenEnv server into a NeMo Gym resources server, ready to train on.')
    .usage('[write] <source> <gym-root> [options]')
    .version(version(), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command]', 'Print the help of a command')
    .configureHelp(HELP)
    .hook('preAction', (_, command) => refuseEmpty(command));
  withUsageErrors(cli);
  addNotes(cli, { examples: write.examples, exitCodes: EXIT_CODES }, [DOCS]);
  for (const command of COMMANDS) addCommand(cli, command);
  return cli;
}

const DOCS = 'Docs: README.md and docs/ in the package.';

/** Whether to print the help because no command is named: `gymgen`, or a group such as `gymgen trainer`. */
function isBare(argv: readonly string[]): boolean {
  const [group, ...more] = argv.slice(2);
  return more.length === 0 && (group === undefined || COMMANDS.some(({ name }) => name.startsWith(`${group} `)));
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
