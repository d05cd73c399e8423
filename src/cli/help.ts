import { type Command, Help, type HelpConfiguration } from 'commander';
import { asStarted } from '../printed-command.js';

/** Columns if the help is not shown on a terminal, or the size of the terminal is unknown (0 columns). */
const DEFAULT_COLUMNS = 80;
/** Longest term with its description on the same line. */
const TERM_COLUMNS = 27;
/** Minimum width of the terminal for terms and descriptions in two columns. */
const TWO_COLUMNS = 70;
/** Indentation of a description or a continued command on the next line. */
const NEXT_LINE = 6;

const wrapper = Object.assign(new Help(), { minWidthToWrap: 1 });

/** Breaks a text into lines of up to `columns` columns, unless one word is longer. */
function wrap(text: string, columns: number): string[] {
  return wrapper.boxWrap(text, Math.max(columns, 1)).split('\n');
}

function indented(lines: readonly string[], spaces: number): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(spaces) + line));
}

/** A layout of Commander's help that never exceeds the terminal's width. */
export const HELP: HelpConfiguration = {
  minWidthToWrap: 1,
  optionDescription: ({ description }) => description, // the flags name the choices
  subcommandTerm: (command) => wrapper.subcommandTerm(command).replace(' [options]', ''), // all have some
  styleUsage(usage) {
    const columns = this.helpWidth || DEFAULT_COLUMNS;
    return wrap(usage, columns - 'Usage: '.length).join(`\n${' '.repeat('Usage: '.length)}`);
  },
  formatItem(term, termWidth, description) {
    const columns = this.helpWidth || DEFAULT_COLUMNS;
    const at = columns < TWO_COLUMNS ? NEXT_LINE : 4 + Math.min(termWidth, TERM_COLUMNS);
    const lines = indented(wrap(description, columns - at), at);
    const isBeside = columns >= TWO_COLUMNS && term.length <= at - 4 && description !== '';
    if (!isBeside) return [`  ${term}`, ...(description === '' ? [] : lines)].join('\n');
    return [`  ${term}`.padEnd(at) + (lines[0] as string).trimStart(), ...lines.slice(1)].join('\n');
  },
};

export interface Notes {
  /** Command lines, each after `$ `, optionally with a comment. Other lines are text. */
  examples: string;
  exitCodes?: Readonly<Record<number, string>> | undefined;
}

/** Adds the examples and the exit codes below the help of a command. */
export function addNotes(command: Command, notes: Notes, last: readonly string[] = []): void {
  command.addHelpText('after', ({ error }) => {
    const { getErrHelpWidth, getOutHelpWidth } = command.configureOutput();
    const columns = (error ? getErrHelpWidth?.() : getOutHelpWidth?.()) || DEFAULT_COLUMNS;
    return [...notesIn(notes, columns), ...last.flatMap((text) => ['', ...wrap(text, columns)])].join('\n');
  });
}

export function notesIn({ examples, exitCodes = {} }: Notes, columns: number): string[] {
  const codes = Object.entries(exitCodes).flatMap(([code, meaning]) => {
    const [first, ...others] = indented(wrap(meaning, columns - 7), 7);
    return [`  ${code.padEnd(3)}  ${first?.trimStart()}`, ...others];
  });
  return [
    ...(examples === '' ? [] : ['', 'Examples:', ...indented(exampleLines(asStarted(examples), columns - 2), 2)]),
    ...(codes.length === 0 ? [] : ['', 'Exit codes:', ...codes]),
  ];
}

/** Comments stay beside their commands if all of them fit. Otherwise, each comment is above its command. */
function exampleLines(examples: string, columns: number): string[] {
  const lines = examples.replace(/ \\\n\s*/g, ' ').split('\n');
  const isCommented = (line: string) => line.startsWith('$ ') && line.includes('   ');
  const areBeside = lines.every((line) => !isCommented(line) || line.length <= columns);
  return lines.flatMap((line) => {
    if (line.length <= columns && (areBeside || !isCommented(line))) return [line];
    const [text = '', comment = ''] = isCommented(line) ? line.split(/ {3,}/, 2) : [line];
    if (!line.startsWith('$ ')) return wrappedText(text, columns);
    const above = comment === '' ? [] : wrap(comment, columns - '# '.length).map((each) => `# ${each}`);
    return [...above, ...commandLines(text, columns)];
  });
}

function wrappedText(text: string, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0].length ?? 0;
  return indented(wrap(text.trimStart(), columns - indent), indent);
}

/** A command on several lines, all but the last with a backslash. Options stay with their values if both fit. */
function commandLines(command: string, columns: number): string[] {
  const room = columns - NEXT_LINE - ' \\'.length;
  const units: string[] = [];
  for (const word of command.match(/(?:'[^']*'|[^\s'])+/g) ?? []) {
    const option = units.at(-1) ?? '';
    const isValue = /^--[a-z-]+$/.test(option) && !word.startsWith('-');
    if (isValue && option.length + 1 + word.length <= room) units[units.length - 1] = `${option} ${word}`;
    else units.push(word);
  }
  const lines: string[] = [];
  for (const unit of units) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + unit.length > room + (lines.length === 1 ? NEXT_LINE : 0)) {
      lines.push(unit);
    } else lines[lines.length - 1] = `${last} ${unit}`;
  }
  return lines.map((line, at) => ' '.repeat(at === 0 ? 0 : NEXT_LINE) + line + (at < lines.length - 1 ? ' \\' : ''));
}
