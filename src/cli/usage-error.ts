import { type Command, CommanderError } from 'commander';
import { UsageError } from '../errors.js';
import { invocation } from '../printed-command.js';

/** Errors whose fix is the form of the command. */
const OF_ARGUMENTS = ['commander.missingArgument', 'commander.excessArguments'];

/** Makes Commander throw the errors of a command as gymgen reports its own, and print nothing. */
export function withUsageErrors(command: Command): Command {
  return command.configureOutput({ outputError: () => {} }).exitOverride((error) => {
    throw isHelp(error) ? error : usageError(error, command);
  });
}

function usageError({ code, message }: CommanderError, command: Command): UsageError {
  const [problem = '', suggestion] = message.replace(/^error: /, '').split(/\n\((?=Did you mean )/);
  const meant = suggestion === undefined ? '' : `: d${suggestion.slice(1, -1)}`;
  const form = `${invocation()} ${formOf(command)}`.trim();
  const help = `${form} --help`;
  const isOfArguments = OF_ARGUMENTS.includes(code);
  return new UsageError(problem.replace(/\.$/, '') + meant, {
    fix: isOfArguments ? `${form} ${command.usage()} (see ${help})` : `see ${help}`,
  });
}

/** The words that call a command, such as `trainer verl`. */
function formOf(command: Command): string {
  return command.parent === null ? '' : `${formOf(command.parent)} ${command.name()}`.trim();
}

/** Whether Commander has printed the help or the version. */
export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
}
