import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/main.js';
import { parseFlags, RECORDED_OPTIONS } from '../../src/options/flags.js';
import {
  flagOf,
  helpOf,
  isGenerateOption,
  OPTIONS,
  type Option,
  type OptionName,
  optionsOf,
} from '../../src/options/index.js';

const NAMES = Object.keys(OPTIONS) as OptionName[];
const row = (name: OptionName): Option => OPTIONS[name];

test('every option belongs to a command, and no command has a flag twice', () => {
  for (const name of NAMES) expect(row(name).commands, name).not.toEqual([]);
  for (const { name } of COMMANDS) {
    const flags = optionsOf(name).map((option) => flagOf(option.name));
    expect(new Set(flags).size, name).toBe(flags.length);
  }
});

test('a name is the long flag in camel case, except where two commands differ', () => {
  const camelCase = (flag: string) => flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  expect(NAMES.filter((name) => camelCase(flagOf(name)) !== name)).toEqual([
    'outputServers',
    'outputConfig',
    'outputFolder',
    'agentPort',
    ...['playSplit', 'playLimit', 'playConcurrency', 'playOutput', 'gymPython', 'playModel'],
    'packageFolder',
    'packageTrain',
    'packageValidation',
    'rowLimit',
    'packageModel',
    'sources',
  ]);
});

test('a flag has a value in brackets if and only if it has a schema', () => {
  expect(NAMES.filter((name) => /<.+>$/.test(row(name).flags) !== (row(name).value !== undefined))).toEqual([]);
});

test('help starts with a capital, has no full stop and names the default', () => {
  for (const name of NAMES) expect(row(name).help).toMatch(/^[A-Z].*[^.]$/);
  expect(helpOf(OPTIONS.toolTimeout)).toBe('Time limit for one tool call (default: 60)');
  expect(helpOf(OPTIONS.split)).toBe('Split to read (repeatable; default: all)');
});

test('a default is a valid value', () => {
  for (const name of NAMES) {
    const value = row(name).default;
    if (value !== undefined) expect(parseFlags({ [name]: String(value) })[name]).toEqual(value);
  }
});

test.each(['toolTimeout', 'resetTimeout', 'idleTimeout'] as const)(
  'the default of %s is that of the bridge',
  (name) => {
    const config = readFileSync(new URL('../../templates/server/openenv_bridge/config.py', import.meta.url), 'utf8');
    const setting = flagOf(name).slice(2).replaceAll('-', '_');
    const [, seconds] = new RegExp(`^ +${setting}: float = Field\\(\\s*([\\d.]+),`, 'm').exec(config) ?? [];
    expect(Number(seconds)).toBe(OPTIONS[name].default);
  },
);

test('a lock file keeps only options that decide what is generated', () => {
  expect(RECORDED_OPTIONS.filter((name) => !isGenerateOption(name))).toEqual([]);
  expect(NAMES.filter((name) => isGenerateOption(name) && !RECORDED_OPTIONS.includes(name))).toEqual([
    ...['sandbox', 'absolute', 'python', 'trustRecording', 'header'],
  ]);
});

test('all invalid values are reported at once', () => {
  expect(() => parseFlags({ limit: '0', toolTimeout: 'x' })).toThrow(
    expect.objectContaining({
      message: 'invalid option value',
      details: ['--limit must be 1 or more', '--tool-timeout must be a number of seconds'],
    }),
  );
});
