// Shell completion. The scripts for the shells are those of @bomb.sh/tab. They call `gymgen complete -- WORDS`, which
// prints a suggestion on each line and then a number for the shell (the protocol of spf13/cobra).

import { ShellCompDirective, script } from '@bomb.sh/tab';
import { helpOf, type NamedOption, optionsOf } from '../options/index.js';
import type { CommandSpec } from './command.js';

/**
 * bash completes files if there is nothing else to suggest. The script also works without the package bash-completion. The
 * package's function joins words at colons, but no suggestion depends on that. The script defines read-only variables, so it
 * must not run twice.
 */
const BASH = `\
if ! declare -F __gymgen_complete >/dev/null; then
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]}")
}`;
const BASH_END = `\
complete -o default -F __gymgen_complete gymgen
fi`;

/** Prints the script for a shell. */
export function printScript(shell: string): void {
  if (shell === 'bash') console.log(BASH);
  script(shell, 'gymgen', 'gymgen');
  if (shell === 'bash') console.log(BASH_END);
}

/** Prints the answer to a script. */
export function printSuggestions(words: readonly string[], commands: readonly CommandSpec[]): void {
  const suggestions = suggest(words, commands);
  for (const [value, help] of suggestions ?? []) console.log(`${value}\t${help}`);
  const { ShellCompDirectiveDefault: FILES, ShellCompDirectiveNoFileComp: NO_FILES } = ShellCompDirective;
  console.log(`:${suggestions === undefined ? FILES : NO_FILES}`);
}

type Suggestion = readonly [value: string, help: string];

/**
 * Suggestions for the last word.
 * @param words after `gymgen`; the last one is being typed, and may be empty
 * @returns undefined for a file name, which the shell completes itself, or another free text
 */
export function suggest(words: readonly string[], commands: readonly CommandSpec[]): Suggestion[] | undefined {
  const before = words.slice(0, -1);
  const word = words.at(-1) ?? '';
  if (before.includes('--')) return undefined;
  const all = commands.flatMap(({ name }) => optionsOf(name));
  const typed = before.filter((each, at) => !each.startsWith('-') && !takesValue(all, before[at - 1]));
  const found = commands.filter(({ name }) => name.split(' ').every((part, at) => typed[at] === part));
  const command = found[0] ?? (commands.find(({ isDefault }) => isDefault) as CommandSpec);
  const options = optionsOf(command.name);
  const [flag, assigned] = /^(--[a-z-]+)=/.exec(word) ? [word.split('=')[0], true] : [before.at(-1), false];
  if (assigned || takesValue(all, flag)) {
    const choices = options.find((option) => flagsOf(option).includes(flag as string))?.choices;
    return matching(
      word.slice(word.indexOf('=') + 1),
      choices?.map((choice) => [choice, '']),
    );
  }
  if (word.startsWith('-')) return matching(word, [...options.flatMap(describedFlags), ['--help', 'Print help']]);
  const names = found.length > 0 ? undefined : namesAfter(typed, commands);
  const place = typed.length - (found[0]?.name.split(' ').length ?? 0);
  return matching(word, names ?? command.arguments[place]?.choices?.map((choice) => [choice, '']));
}

/** Suggestions that begin with the word; undefined, for files, if there are none. */
function matching(word: string, all: readonly Suggestion[] | undefined): Suggestion[] | undefined {
  const found = all?.filter(([value]) => value.startsWith(word));
  return found?.length ? found : undefined;
}

/** The next words of command names. */
function namesAfter(typed: readonly string[], commands: readonly CommandSpec[]): Suggestion[] {
  const next = commands.flatMap(({ name, description }): Suggestion[] => {
    const parts = name.split(' ');
    if (parts.length <= typed.length || typed.some((part, at) => parts[at] !== part)) return [];
    return [[parts[typed.length] as string, parts.length === typed.length + 1 ? description : '']];
  });
  return [...new Map(next)];
}

/** The flags of an option: `-q, --quiet` has two. */
function flagsOf({ flags }: NamedOption): string[] {
  return flags.split(/[ ,]+/).filter((part) => part.startsWith('-'));
}

function describedFlags(option: NamedOption): Suggestion[] {
  const long = flagsOf(option).filter((flag) => flag.startsWith('--'));
  return long.map((flag) => [flag, helpOf(option)]);
}

function takesValue(options: readonly NamedOption[], flag: string | undefined): boolean {
  return options.some((option) => option.flags.includes('<') && flagsOf(option).includes(flag ?? ''));
}
