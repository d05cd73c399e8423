import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readRegularSync } from '../files.js';

export const whole = (least: number) =>
  z
    .string()
    .regex(/^\d+$/, 'wants a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `wants ${least} or more`).max(Number.MAX_SAFE_INTEGER, 'is too large'));

/** `K=V` or `K: V`, split at the first separator. */
export const pair = (separator: '=' | ':', shape: string) =>
  z.string().transform((text, context) => {
    const at = text.indexOf(separator);
    const [key, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (at > 0 && key && value) return [key, value] as const;
    context.addIssue({ code: 'custom', message: `wants ${shape}` });
    return z.NEVER;
  });

/**
 * Several of these, each for another key.
 * @param keyOf what must differ; the key itself by default
 */
export const pairs = (separator: '=' | ':', shape: string, keyOf = (key: string) => key) =>
  z
    .array(pair(separator, shape))
    .default([])
    .superRefine((all, context) => {
      const keys = new Set<string>();
      for (const [key] of all) {
        const size = keys.size;
        if (keys.add(keyOf(key)).size === size)
          context.addIssue({ code: 'custom', message: `is given twice for ${key}` });
      }
    });

/** A program as a path or as a name on PATH. It may be started in another folder than this one. */
export function programPath(program: string, folder: string): string {
  return program.includes('/') || program.includes(path.sep) ? path.resolve(folder, program) : program;
}

/** A text, or the file that holds it: `@FILE`. */
export function textOrFile(value: string): string {
  if (!value.startsWith('@')) return value;
  const file = value.slice(1);
  try {
    return readRegularSync(file, 'textBytes').replace(/\r\n/g, '\n').trimEnd();
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`can't read the text: ${(cause as Error).message}`, { where: file, cause });
  }
}
