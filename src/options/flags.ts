import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors.js';
import { gymgenCommand } from '../printed-command.js';
import { type Flags, flagOf, OPTIONS, type Option, type OptionName, type OptionValues } from './index.js';
import * as values from './value-types.js';

const NAMES = Object.keys(OPTIONS) as OptionName[];

const Flag = z.boolean();
const SCHEMAS = Object.fromEntries(NAMES.map((name) => [name, schemaOf(OPTIONS[name]).optional()]));
const Values = z.object(SCHEMAS);

function schemaOf(option: Option): z.ZodType {
  return option.value?.(values) ?? Flag;
}

/**
 * Checks and converts the values of options.
 * @throws UserError that names each option with an invalid value
 */
export function parseFlags(flags: Flags): OptionValues {
  const parsed = Values.safeParse(flags);
  if (parsed.success) return parsed.data as OptionValues;
  throw new UsageError('invalid option value', {
    details: parsed.error.issues.map(({ path, message }) => `${flagOf(path[0] as OptionName)} ${message}`),
    fix: `see ${gymgenCommand`--help`}`,
  });
}

/** Options whose value may be `@FILE`. */
export const TEXT_OPTIONS = NAMES.filter((name) => (OPTIONS[name] as Option).path === '@file');

/** Options that a lock file keeps: a closed list without secrets, machine-specific paths or options that run code. */
export const RECORDED_OPTIONS = NAMES.filter((name) => (OPTIONS[name] as Option).recorded);

/** A text that begins with `@` would name a file, which a lock file may not do. */
const LockedText = z.string().regex(/^[^@]/, 'names a file: pass the option again with gymgen write');

/** The options of a lock file, with the same checks as on the command line. */
export const RecordedFlags = z.strictObject(
  Object.fromEntries(
    RECORDED_OPTIONS.map((name) => [
      name,
      TEXT_OPTIONS.includes(name) ? LockedText.optional() : (SCHEMAS[name] as z.ZodType),
    ]),
  ),
);

/** The options that a lock file keeps, as they were passed. @param texts contents of the files that `@FILE` names */
export function recordedFlags(flags: Flags, texts: OptionValues): Flags {
  const kept = RECORDED_OPTIONS.flatMap((name) => {
    const value = recordedValue(name, flags, texts);
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function recordedValue(name: OptionName, flags: Flags, texts: OptionValues): unknown {
  if (TEXT_OPTIONS.includes(name)) return texts[name] === '' ? undefined : texts[name];
  const value = flags[name];
  return (OPTIONS[name] as Option).path === 'file' && typeof value === 'string' ? fromHere(value) : value;
}

/** A path below the current folder without the path of the machine, with `/` between its parts. */
function fromHere(file: string): string {
  const below = path.relative(process.cwd(), path.resolve(file));
  const isBelow = below !== '' && below.split(path.sep)[0] !== '..' && !path.isAbsolute(below);
  return isBelow ? below.split(path.sep).join('/') : file;
}
