import type { ZodType } from 'zod';
import type * as Values from './value-types.js';

export type CommandName =
  | 'write'
  | 'check'
  | 'update'
  | 'batch'
  | 'inspect'
  | 'record'
  | 'package'
  | 'validate'
  | 'trainer nemo-rl'
  | 'trainer axolotl'
  | 'trainer verl'
  | 'play'
  | 'report'
  | 'demo'
  | 'doctor'
  | 'completion';

/** One row of the table: everything that gymgen knows about a command-line option. */
export interface Option {
  /** As commander takes them, with the unit or shape of the value: `--tool-timeout <seconds>`. */
  flags: string;
  /** Imperative or noun phrase. The default is added from `default` or `unset`. */
  help: string;
  /** Commands that take the option. */
  commands: readonly CommandName[];
  /** Schema of the value; a flag without one is a boolean. A function, because loading zod would slow `--help` down. */
  value?: (values: typeof Values) => ZodType;
  default?: string | number;
  /** What happens without the option, if that is not a constant. */
  unset?: string;
  repeatable?: true;
  choices?: readonly string[];
  /** Another option that cannot be passed together with this one. */
  conflicts?: string;
  /** Whether the lock file keeps the option. `check` and `update` then take its value from there. */
  recorded?: true;
  /** Whether the value is the path of a file or a program, or `@` and the path of a file with a text. */
  path?: 'file' | 'program' | '@file';
  /** Differences in the help of single commands. */
  in?: Partial<Record<CommandName, Partial<Pick<Option, 'help' | 'unset'>>>>;
}

/** Commands that generate a folder, or show what would be generated. */
export const GENERATE = ['write', 'check', 'batch', 'inspect'] as const;

/** Commands that read a source from the command line. */
export const READ = [...GENERATE, 'record'] as const;

/** All commands that read a source, including the source of a lock file. */
export const CONNECT = [...READ, 'update'] as const;

/** Declares rows of the table with their exact types, from which the types of the values are derived. */
export const rows = <const T extends Record<string, Option>>(group: T): T => group;
