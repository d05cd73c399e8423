import { type Command, CommanderError } from 'commander';
import { UsageError } from '../errors.js';
import { invocation } from '../printed-command.js';

/** Errors whose fix is the usage of the command. */
const OF_ARGUMENTS = ['commander.missingArgument', 'commander.excessArguments'];

/** Makes Commander throw UsageErrors instead of printing its own errors. */
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

/** The words of a command's name, such as `trainer verl`. */
function formOf(command: Command): string {
  return command.parent === null ? '' : `${formOf(command.parent)} ${command.name()}`.trim();
}

/** Whether Commander has printed the help or the version. */
export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
}
