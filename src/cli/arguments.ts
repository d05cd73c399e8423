// Checks of the command line before a command runs.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { commandAgain, gymgenCommand } from '../printed-command.js';

/** Flags without a value that may come before a command. */
const FLAGS = ['--json', '-q', '--quiet', '-v', '--verbose'];

/**
 * Refuses arguments and options that are empty or blank, usually because a shell variable is not set. An empty Gym root, for
 * example, would be the current folder.
 * @throws UserError that names each
 */
export function refuseEmpty(command: Command): void {
  const { registeredArguments, processedArgs, options } = command;
  const values = [
    ...registeredArguments.map((argument, at) => [`<${argument.name()}>`, processedArgs[at]] as const),
    ...options.map((option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const),
  ];
  const empty = values.filter(([, value]) =>
    [value].flat().some((one) => typeof one === 'string' && one.trim() === ''),
  );
  if (empty.length === 0) return;
  throw new UsageError(`${empty.map(([name]) => name).join(', ')} ${empty.length === 1 ? 'is' : 'are'} empty`, {
    fix: 'pass a value, or leave the option out; a shell variable may not be set',
  });
}

/**
 * Refuses a first argument that looks like a mistyped command: it would be taken for the name of an installed bundle, and
 * looking for that takes seconds. Refuses the help of an unknown command, too.
 * @param commands names of all commands
 * @throws UserError with the command that was probably meant
 */
export async function refuseMistyped(args: readonly string[], commands: readonly string[]): Promise<void> {
  const first = args.findIndex((arg) => !FLAGS.includes(arg));
  const isHelp = args[first] === 'help';
  const at = first + Number(isHelp);
  const word = args[at] ?? '';
  if (!/^[a-z]+$/i.test(word) || commands.includes(word) || (!isHelp && existsSync(word))) return;
  const { closest } = await import('../closest.js');
  const meant = closest(word, commands);
  if (meant === undefined) {
    if (!isHelp && args.length > 1) return; // a bundle
    throw new UsageError(`unknown command '${word}'`, { fix: `see ${gymgenCommand`--help`}` });
  }
  const again = commandAgain([], ['', '', ...args.with(at, meant)]);
  throw new UsageError(`unknown command '${word}': did you mean ${meant}?`, {
    fix: isHelp ? again : `${again}; for a bundle of this name, add 'write' before it`,
  });
}
