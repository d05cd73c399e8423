/** Splits a message of Commander into the problem, which may contain text of the command line, and the suggested option or ''. */
export function usageParts(text: string): [problem: string, suggestion: string] {
  const message = text.trimEnd();
  const at = message.lastIndexOf('\n(Did you mean ');
  return at === -1 ? [message, ''] : [message.slice(0, at), message.slice(at + 1)];
}
