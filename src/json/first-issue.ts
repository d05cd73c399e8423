import type { z } from 'zod';

/** The first problem of an answer, on one line: `0.name: Invalid input: expected string, received number`. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join('.');
  return `${where ? `${where}: ` : ''}${issue?.message}`;
}
