import { hiddenCharacters } from '../display-text.js';

/** Characters that the page shows as escapes: invisible ones, and those that change the direction of a line. */
export const HIDDEN = hiddenCharacters('\\0-\\x08\\x0b-\\x1f\\p{Cs}');

/** Text with escapes such as `\u202e` and `\u{e0041}`, and with its line breaks. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const hex = (character.codePointAt(0) as number).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** A text whose middle may be cut. The page escapes it, after it has laid out JSON. */
export interface Excerpt {
  text: string;
  /** Number of characters left out, and the text after them. */
  cut?: number;
  end?: string;
}

/** The start and the end of a text, with up to `most` characters in total. */
export function excerpt(text: string, most: number): Excerpt {
  if (text.length <= most) return { text: withLf(text) };
  const start = whole(text, Math.ceil(most * 0.75));
  const end = whole(text, text.length - Math.floor(most * 0.25));
  return { text: withLf(text.slice(0, start)), cut: end - start, end: withLf(text.slice(end)) };
}

function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A short text on one line, such as a label. */
export function shortText(text: string, most = 200): string {
  const cut = text.length > most ? `${text.slice(0, whole(text, most))}…` : text;
  return visibleText(cut).replace(/\s+/g, ' ');
}

/** The nearest position that does not split a surrogate pair. */
function whole(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
