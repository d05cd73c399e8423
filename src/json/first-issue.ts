import type { z } from 'zod';

/** What is wrong with an answer, in one line: `0.name: Invalid input: expected string, received number`. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join('.');
  return `${where ? `${where}: ` : ''}${issue?.message}`;
}
