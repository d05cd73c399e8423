// The one table of options. Commander's options, the checks of their values, the keys of a batch file, the closed list
// of options in a lock file, and docs/cli.md are derived from it. `flags.ts` is imported on its own, because it loads
// zod.

import type { ZodType, z } from 'zod';
import { GENERATE_OPTIONS } from './generate.js';
import type { CommandName, Option } from './option.js';
import { PACKAGE_OPTIONS } from './package.js';
import { PLATFORM_OPTIONS } from './platform.js';
import { PLAY_OPTIONS } from './play.js';
import { RUN_OPTIONS } from './run.js';
import { TRAINER_OPTIONS } from './trainer.js';
import { VALIDATE_OPTIONS } from './validate.js';

export type { CommandName, Option } from './option.js';

const GROUPS = {
  ...GENERATE_OPTIONS,
  ...TRAINER_OPTIONS,
  ...PLAY_OPTIONS,
  ...PACKAGE_OPTIONS,
  ...PLATFORM_OPTIONS,
  ...VALIDATE_OPTIONS,
  ...RUN_OPTIONS,
};

type Groups = (typeof GROUPS)[keyof typeof GROUPS];
type KeyOf<Group> = Group extends unknown ? keyof Group : never;
type RowOf<Group, Name> = Name extends keyof Group ? Group[Name] : never;

/** The name of an option in camel case, as in lock files. */
export type OptionName = KeyOf<Groups>;

type Table = {
  [Name in OptionName]: Groups extends infer Group ? (Group extends unknown ? RowOf<Group, Name> : never) : never;
};

export const OPTIONS = Object.assign({}, ...Object.values(GROUPS)) as Table;

type Raw<Row> = Row extends { repeatable: true } ? string[] : Row extends { value: unknown } ? string : boolean;
type Parsed<Row> = Row extends { value: (values: never) => infer Schema extends ZodType } ? z.output<Schema> : boolean;

/** Options as the command line, a batch file or a lock file has them. */
export type Flags = { [Name in OptionName]?: Raw<Table[Name]> | undefined };

/** Options after the checks of `flags.ts`. Defaults are not filled in. */
export type OptionValues = { [Name in OptionName]?: Parsed<Table[Name]> | undefined };

export interface NamedOption extends Option {
  name: OptionName;
  /** Heading of its group. */
  group: string;
}

/** The options of a command, in the order of its help. */
export function optionsOf(command: CommandName): NamedOption[] {
  return Object.entries(GROUPS).flatMap(([group, options]) =>
    Object.entries<Option>(options)
      .filter(([, { commands }]) => commands.includes(command))
      .map(([name, option]) => ({ ...option, ...option.in?.[command], name: name as OptionName, group })),
  );
}

/** Whether an option decides what is generated, and not only how a command runs. */
export function isGenerateOption(name: OptionName): boolean {
  return Object.values(GENERATE_OPTIONS).some((group) => name in group);
}

/** The help of an option with its default. */
export function helpOf({ help, repeatable, default: value, unset }: Option): string {
  const notes = [
    ...(repeatable ? ['repeatable'] : []),
    ...(value === undefined && unset === undefined ? [] : [`default: ${value ?? unset}`]),
  ];
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

/** The long flag of an option: `--tool-timeout`. */
export function flagOf(name: OptionName): string {
  const option: Option = OPTIONS[name];
  return /--[a-z-]+/.exec(option.flags)?.[0] as string;
}

/** The options that were passed. A repeatable option without values does not count as passed. */
export function passed(flags: Flags): Flags {
  const isPassed = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => isPassed(value)));
}
