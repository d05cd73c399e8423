import type { Command } from 'commander';
import { UserError } from '../errors.js';

/**
 * Refuses arguments and options without a character that is not blank: mostly a shell variable that is not set. An empty Gym
 * root, for example, would be the current folder.
 * @throws UserError naming each
 */
export function refuseEmpty(command: Command): void {
  const { registeredArguments, processedArgs, options } = command;
  const given = [
    ...registeredArguments.map((argument, at) => [`<${argument.name()}>`, processedArgs[at]] as const),
    ...options.map((option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const),
  ];
  const empty = given.filter(([, value]) => [value].flat().some((one) => typeof one === 'string' && one.trim() === ''));
  if (empty.length === 0) return;
  throw new UserError(`${empty.map(([name]) => name).join(', ')} ${empty.length === 1 ? 'is' : 'are'} empty`, {
    fix: 'pass a value, or leave the option out; a shell variable may not be set',
  });
}
