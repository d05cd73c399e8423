import { Argument, type Command, Option } from 'commander';
import { type CommandName, type Flags, helpOf, type NamedOption, optionsOf } from '../options/index.js';
import { addNotes } from './help.js';
import { withUsageErrors } from './usage-error.js';

/** A command as its file in `commands/` declares it. */
export interface CommandSpec {
  name: CommandName;
  /** One line. */
  description: string;
  arguments: readonly CommandArgument[];
  /** Shown instead of the arguments, if those do not show every form of the command. */
  usage?: string;
  /** Runs if no command is named. */
  isDefault?: true;
  /** Command lines, each after `$ `, optionally with a comment. Other lines are shown unchanged. */
  examples: string;
  /** What the exit codes of this command mean, if it has its own. */
  exitCodes?: Readonly<Record<number, string>>;
  /**
   * Runs the command. The values of a `<several...>` argument come one by one. This function imports the operation and
   * the display, so that `--help` does not load them.
   */
  run(flags: Flags, ...args: (string | undefined)[]): Promise<void>;
}

export interface CommandArgument {
  /** `<required>`, `[optional]`, or at the end `<several...>`. */
  name: string;
  help: string;
  default?: string;
  choices?: readonly string[];
}

/** Descriptions of groups of commands whose names begin with the same word. */
const GROUPS: Readonly<Record<string, string>> = {
  trainer: 'Write the config of a trainer for written servers',
};

/** Adds a command to the command line, with its options from the table. */
export function addCommand(cli: Command, spec: CommandSpec): void {
  const [name, group] = spec.name.split(' ').reverse() as [string, string?];
  const command = groupOf(cli, group)
    .command(name, { isDefault: spec.isDefault ?? false })
    .description(spec.description);
  withUsageErrors(command);
  addNotes(command, spec);
  if (spec.usage !== undefined) command.usage(spec.usage);
  for (const argument of spec.arguments) command.addArgument(commanderArgument(argument));
  const options = optionsOf(spec.name).map((option) => [option.name, commanderOption(option)] as const);
  for (const [, option] of options) command.addOption(option);
  command.action(async (...all: unknown[]) => {
    const args = all.slice(0, spec.arguments.length).flat() as (string | undefined)[];
    const flags = options.map(([name, option]) => [name, optionValue(command, option)] as const);
    await spec.run(Object.fromEntries(flags.filter(([, value]) => value !== undefined)), ...args);
  });
}

/** The value of an option. Commander keeps `--no-x` as the value false of `--x`. */
function optionValue(command: Command, option: Option): unknown {
  const value: unknown = command.getOptionValue(option.attributeName());
  if (option.negate) return value === false ? true : undefined;
  return value === false ? undefined : value;
}

/** The parent of the commands whose names begin with this word. Without a word, the command line itself. */
function groupOf(cli: Command, group: string | undefined): Command {
  if (group === undefined) return cli;
  const known = cli.commands.find((command) => command.name() === group);
  return known ?? withUsageErrors(cli.command(group)).description(GROUPS[group] ?? '');
}

function commanderArgument({ name, help, default: value, choices }: CommandArgument): Argument {
  const result = new Argument(name, help).default(value);
  return choices === undefined ? result : result.choices(choices);
}

function commanderOption(option: NamedOption): Option {
  const { flags, repeatable, choices, conflicts, group } = option;
  const result = new Option(flags, helpOf(option)).helpGroup(`${group}:`);
  if (repeatable) result.argParser((value: string, all: string[] = []) => [...all, value]);
  if (choices) result.choices(choices);
  return conflicts === undefined ? result : result.conflicts(conflicts);
}
