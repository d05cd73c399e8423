/** One argument, as a POSIX shell reads it. */
export function shellQuoted(text: string): string {
  return /^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
