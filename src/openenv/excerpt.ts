import { maskCredentials } from '../credentials.js';
import { displayText } from '../display-text.js';

/** The start of a server's text for a message, on one line, with white space collapsed and credentials masked. */
export function excerpt(text: string, length = 160): string {
  const start = maskCredentials(text.slice(0, length * 4));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed from messages
  const line = displayText(start.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
