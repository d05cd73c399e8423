import { maskCredentials } from './credentials.js';

/**
 * Characters that are invisible or change how a line is displayed, as members of a character class for the `u` flag: the
 * Unicode categories Cc from U+007F on, Cf, Zl and Zp, and all tag characters. The list is fixed (Unicode 15 to 17) because
 * `\p{Cf}` depends on the Node version, and the same input must give the same bytes.
 * @see https://www.unicode.org/Public/UCD/latest/ucd/extracted/DerivedGeneralCategory.txt
 */
const HIDDEN = [
  '\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e',
  '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}',
  '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}',
].join('');

/**
 * A pattern that matches hidden characters.
 * @param more additional members of the character class
 * @param sequences alternatives to the class
 */
export function hiddenCharacters(more = '', ...sequences: string[]): RegExp {
  // eslint-disable-next-line no-restricted-syntax -- built only from constants of gymgen
  return new RegExp([`[${HIDDEN}${more}]`, ...sequences].join('|'), 'gu');
}

/** Escapes each UTF-16 code unit as JSON does: `\u202e`. */
export function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${hex(text.charCodeAt(at), 4)}`).join('');
}

/** Escapes one character as YAML and TOML do: `\u202e` or `\U000e0041`. */
export function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) as number;
  return point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

const NOT_DISPLAYABLE = hiddenCharacters('\\0-\\x1f\\p{Cs}');
const SHORT_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * GitHub's runner executes a command after `::` at the start of a line, with optional whitespace before it, and after `##[`
 * anywhere. Its culture-sensitive comparison skips default-ignorable characters.
 * @see https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 */
const COMMAND = /^([\s\p{DI}]*:\p{DI}*):/u;
const OLD_COMMAND = /(#\p{DI}*#\p{DI}*)\[/gu;

/**
 * Makes any text safe to display on one line: hidden characters become escapes (`\n`, `\u202e`, `\u{e0041}`), workflow commands
 * of GitHub are broken up (`:\u003a`, `##\u005b`), and credentials in URLs are masked. The result cannot be parsed back, since
 * backslashes are not escaped.
 */
export function displayText(text: string): string {
  return maskCredentials(text)
    .replace(NOT_DISPLAYABLE, visible)
    .replace(COMMAND, '$1\\u003a')
    .replace(OLD_COMMAND, '$1\\u005b');
}

function visible(character: string): string {
  const point = character.codePointAt(0) as number;
  return SHORT_ESCAPES[character] ?? (point > 0xffff ? `\\u{${hex(point, 0)}}` : `\\u${hex(point, 4)}`);
}

/** A fast path: plain ASCII text has no hidden characters. */
const ASCII = /^[\0-~]*$/;
const UNSAFE = hiddenCharacters('', '::', '##\\[');

/**
 * Escapes hidden characters, `::` and `##[` in JSON text, so that a terminal shows its real content and GitHub's runner finds no
 * command in it. They occur only inside strings, so the parsed value stays the same.
 * @param json valid JSON text; everything else in it is kept as it is
 */
export function escapeJson(json: string): string {
  if (ASCII.test(json) && !json.includes('::') && !json.includes('##[')) return json;
  return json.replace(UNSAFE, (found) => {
    if (found === '::') return ':\\u003a';
    return found === '##[' ? '##\\u005b' : escapeUnits(found);
  });
}

/**
 * Serializes a value as escaped JSON. Every JSON text that gymgen writes comes from here.
 * @param indent spaces per level; a single line if omitted
 */
export function safeJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent));
}

/** Formats a whole number with commas: `1,234,567`. (`toLocaleString('en')` takes 20 ms on its first call.) */
export function formatCount(count: number): string {
  // eslint-disable-next-line regexp/no-super-linear-move -- a number has few digits
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 row`, `2 rows` */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
