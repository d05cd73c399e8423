import { maskCredentials } from '../credentials.js';
import { displayText } from '../display-text.js';

/** The start of a server's text, on one line, for a message: blanks of all kinds are one space, and credentials are masked. */
export function excerpt(text: string, length = 160): string {
  const start = maskCredentials(text.slice(0, length * 4));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a message has no use for them
  const line = displayText(start.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
