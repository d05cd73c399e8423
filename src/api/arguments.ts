import { closest } from '../closest.js';
import { UsageError } from '../errors.js';
import {
  type CommandName,
  type Flags,
  flagOf,
  type NamedOption,
  type OptionName,
  optionsOf,
} from '../options/index.js';

/** Options that only the command line has: what it prints, and how it takes its arguments. */
const OF_THE_TERMINAL: readonly OptionName[] = ['json', 'quiet', 'verbose', 'github', 'diff', 'sources'];

/** The options of a command that the library takes, too. */
export function libraryOptions(command: CommandName): NamedOption[] {
  return optionsOf(command).filter(({ name }) => !OF_THE_TERMINAL.includes(name));
}

/** The name of an option in the library: its long flag in camel case. */
export function libraryName({ name }: Pick<NamedOption, 'name'>): string {
  return flagOf(name)
    .replace(/^--/, '')
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Options in the form of the command line, so that the lock file is the same.
 * @param command the command with the same options
 * @throws UsageError if there is no such option, if its value has another type, or if two options cannot be combined
 */
export function flagsOf(command: CommandName, given: object): Flags {
  const options = new Map(libraryOptions(command).map((option) => [libraryName(option), option]));
  const { signal: _, reporter: __, ...values } = given as Record<string, unknown>;
  const flags = Object.entries(values).map(([key, value]) => {
    const option = options.get(key);
    if (!option) throw unknownOption(key, [...options.keys()]);
    refuseConflict(option, values);
    return [option.name, value === undefined ? undefined : flagValue(key, option, value)] as const;
  });
  return Object.fromEntries(flags.filter(([, value]) => value !== undefined));
}

/** @throws UsageError if a value is not a string or is blank, usually because a variable is not set */
export function assertFilled(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && value.trim() !== '') continue;
    throw new UsageError(`${name} must be a non-empty string`, { fix: `pass a string as ${name}` });
  }
}

function unknownOption(key: string, names: readonly string[]): UsageError {
  const meant = closest(key, names);
  return new UsageError(`unknown option '${key}'`, {
    fix: meant === undefined ? 'remove it; docs/api.md lists the options' : `did you mean ${meant}?`,
  });
}

function refuseConflict(option: NamedOption, values: Readonly<Record<string, unknown>>): void {
  if (option.conflicts === undefined) return;
  const [one, other] = [libraryName(option), libraryName({ name: option.conflicts as OptionName })];
  if (!values[one] || !values[other]) return;
  throw new UsageError(`${one} cannot be combined with ${other}`, { fix: `leave out ${one} or ${other}` });
}

function flagValue(key: string, option: NamedOption, value: unknown): string | string[] | true | undefined {
  const refuse = (type: string) => new UsageError(`${key} must be ${type}`, { fix: `pass ${type} as ${key}` });
  if (option.value === undefined) {
    if (typeof value !== 'boolean') throw refuse('a boolean');
    return value || undefined;
  }
  const texts = textsOf(option, value);
  if (texts === undefined) throw new UsageError(`${key} has the wrong type`, { fix: `see ${key} in docs/api.md` });
  if (texts.some((text) => text.trim() === '')) throw refuse('a non-empty string');
  return option.repeatable ? texts : texts.join(',');
}

/** The texts that the command line would get; undefined for a value of another type. */
function textsOf({ flags, repeatable }: NamedOption, value: unknown): string[] | undefined {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return repeatable && value.every((one) => typeof one === 'string') ? value : undefined;
  const separator = /<\w+(: |=)\w+/.exec(flags)?.[1];
  if (typeof value !== 'object' || value === null || separator === undefined) return undefined;
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined);
  const isText = pairs.every(([name, one]) => typeof one === 'string' && !name.includes(separator.trim()));
  return isText ? pairs.map(([name, one]) => `${name}${separator}${one}`) : undefined;
}
