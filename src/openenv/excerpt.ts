/** The start of a server's text, on one line and without control characters, for a message. */
export function excerpt(text: string, length = 160): string {
  const line = text
    .slice(0, length * 4)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not see them
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
