/**
 * Characters that no reader sees, or that change how a line is shown, as members of a character class for the `u` flag: the
 * Unicode categories Cc from U+007F on, Cf, Zl and Zp, and all tag characters. The list is fixed (Unicode 15 to 17), since
 * `\p{Cf}` depends on the version of Node, and the same input must give the same bytes.
 * @see https://www.unicode.org/Public/UCD/latest/ucd/extracted/DerivedGeneralCategory.txt
 */
const HIDDEN = [
  '\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e',
  '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}',
  '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}',
].join('');

/**
 * A pattern for hidden characters, and what else is given.
 * @param more members of the character class
 * @param sequences alternatives to the class
 */
export function hiddenCharacters(more = '', ...sequences: string[]): RegExp {
  // eslint-disable-next-line no-restricted-syntax -- character classes and short texts of ours
  return new RegExp([`[${HIDDEN}${more}]`, ...sequences].join('|'), 'gu');
}

/** Each UTF-16 unit of a text as `\u202e`, as JSON writes it. */
export function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${hex(text.charCodeAt(at), 4)}`).join('');
}

/** One character as `\u202e` or `\U000e0041`, as YAML and TOML write it. */
export function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) as number;
  return point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
