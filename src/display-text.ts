import { maskCredentials } from './credentials.js';
import { hiddenCharacters } from './hidden-characters.js';

const HIDDEN = hiddenCharacters('\\0-\\x1f\\p{Cs}');
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * GitHub's runner obeys `::` at the start of a line, after blanks, and `##[` anywhere. It compares by the rules of a culture,
 * which pass over characters that are ignorable by default.
 * @see https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 */
const COMMAND = /^([\s\p{DI}]*:\p{DI}*):/u;
const OLD_COMMAND = /(#\p{DI}*#\p{DI}*)\[/gu;

/**
 * Any text as one line to show: hidden characters as escapes (`\n`, `\u202e`, `\u{e0041}`), no workflow command of GitHub
 * (`:\u003a`, `##\u005b`), and no credentials of a URL. The escapes are for reading: a backslash itself is not escaped.
 */
export function displayText(text: string): string {
  return maskCredentials(text).replace(HIDDEN, visible).replace(COMMAND, '$1\\u003a').replace(OLD_COMMAND, '$1\\u005b');
}

function visible(character: string): string {
  const point = character.codePointAt(0) as number;
  const hex = point.toString(16);
  return SHORT[character] ?? (point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`);
}
