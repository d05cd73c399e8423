/**
 * Splits a message of Commander: the problem, which may hold any text of the command line, and the option that Commander
 * suggests, or ''.
 */
export function usageParts(text: string): [problem: string, suggestion: string] {
  const [, problem = '', suggestion = ''] = /^(.*?)(?:\n(\(Did you mean [^\n]*\)))?\n*$/s.exec(text) ?? [];
  return [problem, suggestion];
}
