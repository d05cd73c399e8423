import type { z } from 'zod';

/** Whether a value is a JSON object: not an array, and not one of lossless-json's numbers, which are class instances. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The first problem of a value, on one line: `0.name: Invalid input: expected string, received number`. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join('.');
  return `${where ? `${where}: ` : ''}${issue?.message}`;
}
