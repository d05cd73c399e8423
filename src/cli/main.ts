import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { displayText } from '../display-text.js';
import { EXIT, noCurrentFolder } from '../errors.js';
import { asStarted, gymgenCommand } from '../printed-command.js';
import { addCiCommands } from './ci-commands.js';
import { addReportCommand } from './commands/report.js';
import { addLookCommands } from './look-commands.js';
import { refuseMistyped } from './mistyped-command.js';
import { refuseEmpty } from './refuse-empty.js';
import { mayClose } from './ui/closed-pipe.js';
import { usageParts } from './ui/usage-parts.js';
import { addWriteOptions, type WriteFlags } from './write-options.js';

const ROOT = `
Exit codes: 0 done, 1 differs (check) or something is missing (doctor), 2 could not do it, 129 hung up,
130 interrupted, 143 terminated.
Docs: README.md and docs/ in the package.`;

const EXAMPLES = `
Examples:
  $ gymgen demo                                     the built-in example, from nothing to a Gym root
  $ gymgen http://127.0.0.1:8000 gym-root           every split of a server
  $ gymgen ./bundles/shop-v1 gym-root               an AgentEnv bundle, which the written server then serves itself
  $ gymgen ./my_env gym-root                        an OpenEnv project, a folder with openenv.yaml
  $ gymgen hf:owner/name gym-root                   a Space of Hugging Face
  $ gymgen http://127.0.0.1:8000 gym-root --split train --limit 100
  $ gymgen http://127.0.0.1:8000 gym-root --dry-run what would be written, and one row
  $ gymgen https://envs.example.com/shop gym-root --header-env 'Authorization=Bearer $SHOP_TOKEN'
  $ gymgen http://127.0.0.1:8000 gym-root --rename-tool get.price=get_price
`;

/** Runs the command line. Sets `process.exitCode`, and never throws. */
export async function main(argv: string[]): Promise<void> {
  mayClose(process);
  try {
    assertCurrentFolder();
    const cli = program();
    refuseMistyped(
      argv.slice(2),
      cli.commands.map((command) => command.name()),
    );
    await cli.parseAsync(argv);
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    process.exitCode = isHelp ? EXIT.done : await failed(error, argv);
  }
}

/** Every command prints its own name, and most resolve paths. */
function assertCurrentFolder(): void {
  try {
    process.cwd();
  } catch (error) {
    throw noCurrentFolder(error);
  }
}

/** Reports what ended the command line before a command ran. @returns the exit code */
async function failed(error: unknown, argv: readonly string[]): Promise<number> {
  const { showError, showUsageError } = await import('./ui/show-error.js');
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
    .version(version(), '-V, --version')
    .showHelpAfterError(`(${gymgenCommand`--help`} shows the commands and examples)`)
    .addHelpText('after', () => asStarted(EXAMPLES + ROOT))
    .configureOutput({ outputError: (text, write) => write(usageError(text)) })
    .exitOverride()
    .hook('preAction', (_, command) => refuseEmpty(command));

  addWriteOptions(
    cli
      .command('write', { isDefault: true })
      .description('write the resources server of an OpenEnv server into a Gym root (the main command)')
      .argument(
        '<source>',
        "an OpenEnv server's URL, a Space (hf:owner/name), an AgentEnv bundle, or an OpenEnv project",
      )
      .argument('<gym-root>', 'the folder that holds resources_servers/; made where it is not there')
      .addHelpText('after', () => asStarted(EXAMPLES)),
  ).action(async (source: string, gymRoot: string, flags: WriteFlags) => {
    const { writeCommand } = await import('./commands/write.js');
    await writeCommand(source, gymRoot, flags);
  });

  addCiCommands(cli);
  addLookCommands(cli);
  addReportCommand(cli);
  cli
    .command('demo')
    .description('serve the built-in example with uv, and write its Gym root')
    .argument('[gym-root]', 'the folder to write', 'gym-root')
    .option('--serve', 'serve the example in the foreground, for NeMo Gym to play; writes nothing')
    .addOption(new Option('--port <port>', 'where it is served, and what the config says').default('8000'))
    .option('--json', 'one JSON document on stdout')
    .option('-q, --quiet', 'errors only')
    .option('-v, --verbose', 'more of what is going on')
    .action(async (gymRoot: string, flags: { serve?: boolean; port: string }) => {
      const { demoCommand } = await import('./commands/demo.js');
      await demoCommand(gymRoot, flags);
    });
  return cli;
}

/** What Commander says of the command line, on one line except for the option that it suggests. */
function usageError(text: string): string {
  const [error, suggestion] = usageParts(text);
  return `${displayText(error)}${suggestion && `\n${suggestion}`}\n`;
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
