import { test } from 'vitest';
import type { CommandSpec } from '../../src/cli/command.js';
import { COMMANDS, EXIT_CODES } from '../../src/cli/main.js';
import { flagOf, helpOf, type NamedOption, OPTIONS, optionsOf } from '../../src/options/index.js';
import { code, expectPage, wrapped } from './markdown.js';

test('docs/cli.md is generated from the commands and the options', () => {
  expectPage('cli.md', page());
});

const INTRO = `\
# Command line

<!-- Generated from src/cli/commands/ and src/options/. To update: GYMGEN_UPDATE_GOLDEN=1 npx vitest run test/docs -->

\`\`\`
gymgen http://127.0.0.1:8000 gym-root --split train --limit 100
\`\`\`

This writes the resources server of an OpenEnv server into the Gym root \`gym-root\`. \`write\` is the default command.
The result goes to stdout, and everything else to stderr. With \`--json\`, stdout is [one JSON document](json.md).

To complete commands, options and their values with the Tab key, see [\`gymgen completion\`](#gymgen-completion).
bash completes the value in \`--option value\`, but not in \`--option=value\`.
`;

/** `completion` has none. */
const WITH_OPTIONS = COMMANDS.filter(({ name }) => optionsOf(name).length > 0).length;

function page(): string {
  const options = allOptions();
  const groups = [...new Set(options.map(({ group }) => group))];
  return [
    INTRO,
    '| command | |\n| --- | --- |',
    ...COMMANDS.map(({ name, description }) => `| [${code(name)}](#gymgen-${anchor(name)}) | ${description} |`),
    '\n## Exit codes\n',
    table(EXIT_CODES),
    ...COMMANDS.map((command) => commandText(command)),
    `\n## Options

Values:

- \`<seconds>\` may have a fraction.
- \`<text|@file>\` is a text, or \`@FILE\` to read the text from a file.
- A repeatable option takes one value each time: \`--split train --split eval\`.
- A lock file keeps the options that decide what is generated. \`check\` and \`update\` read them from there
  ([lock.md](lock.md)).`,
    ...groups.map((group) => {
      const own = options.filter((option) => option.group === group);
      return `\n### ${group}\n\n${own.map(optionText).join('\n')}`;
    }),
    '',
  ].join('\n');
}

function commandText(command: CommandSpec): string {
  const { name, description, usage, examples, exitCodes } = command;
  const args = command.arguments.map((argument) => argument.name).join(' ');
  // As in the usage: of two arguments, Commander requires the first one, but `check` the last one.
  const shown = (argument: string) =>
    usage?.match(/[<[][^\]>]+[\]>]/g)?.find((one) => one.slice(1, -1) === argument.slice(1, -1)) ?? argument;
  const options = optionsOf(name);
  const groups = [...new Set(options.map(({ group }) => group))].map((group) => {
    const flags = options.filter((option) => option.group === group).map((option) => code(flagOf(option.name)));
    return wrapped(`- [${group}](#${anchor(group)}): ${flags.join(', ')}`, '  ');
  });
  return [
    `\n## gymgen ${name}\n`,
    `${description}.\n`,
    `\`\`\`\ngymgen ${command.isDefault ? `[${name}]` : name} ${usage ?? `${args}${options.length === 0 ? '' : ' [options]'}`.trim()}\n\`\`\``,
    ...(command.arguments.length === 0 ? [] : ['']),
    ...command.arguments.map(({ name: argument, help, default: value }) =>
      wrapped(`- ${code(shown(argument))}: ${help}${value === undefined ? '' : ` (default: ${code(value)})`}`, '  '),
    ),
    ...(examples === '' ? [] : ['', `\`\`\`\n${examples}\n\`\`\``]),
    ...(groups.length === 0 ? [] : ['\nOptions:\n', ...groups]),
    ...(exitCodes === undefined ? [] : [`\n${table(exitCodes)}`]),
  ].join('\n');
}

function table(exitCodes: Readonly<Record<number, string>>): string {
  const rows = Object.entries(exitCodes).map(([exitCode, meaning]) => `| ${exitCode} | ${meaning} |`);
  return ['| exit code | |', '| --- | --- |', ...rows].join('\n');
}

/** Each option once, with the commands that take it. */
function allOptions(): NamedOption[] {
  const all = COMMANDS.flatMap(({ name }) => optionsOf(name));
  return Object.entries(OPTIONS).flatMap(([name, option]) => {
    const found = all.find((one) => one.name === name);
    return found ? [{ ...option, name: found.name, group: found.group }] : [];
  });
}

/** What differs for single commands: the help, or only the default. Commands with the same text share a sentence. */
function variants({ commands, in: differences = {}, ...option }: NamedOption): string[] {
  const texts = new Map<string, string[]>();
  for (const command of commands) {
    const own = differences[command];
    if (own === undefined) continue;
    const [label, text] =
      own.help === undefined ? ['Default with', own.unset] : ['With', helpOf({ ...option, commands, ...own })];
    const key = `${label}\0${text}`;
    texts.set(key, [...(texts.get(key) ?? []), code(command)]);
  }
  return [...texts].map(([key, names]) => `${key.replace('\0', ` ${names.join(' and ')}: `)}.`);
}

function optionText(option: NamedOption): string {
  const { flags, commands, recorded, conflicts } = option;
  const sentences = [
    `${helpOf(option)}.`,
    ...variants(option),
    ...(conflicts === undefined ? [] : [`Not together with ${code(flagOf(conflicts as NamedOption['name']))}.`]),
    `Commands: ${commands.length === WITH_OPTIONS ? 'all' : commands.join(', ')}.`,
    ...(recorded ? ['Kept in the lock file.'] : []),
  ];
  return wrapped(`- ${code(flags)}: ${sentences.join(' ')}`, '  ');
}

function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
