import { z } from 'zod';
import { UsageError, UserError } from '../errors.js';
import { readRegularSync } from '../files.js';

/** How a value is written in JSON and in TypeScript. */
export interface Shape {
  /** JSON schema. */
  json: { type: string | string[]; [keyword: string]: unknown };
  typescript: string;
}

/** The shapes of values that are neither texts nor choices. test/docs/ generates schemas and types from them. */
export const SHAPES = z.registry<Shape>();

const number = (type: 'integer' | 'number', bounds: object = {}) => ({
  json: { type, ...bounds },
  typescript: 'number',
});

/** A whole number of at least `least`. */
export const whole = (least: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be ${least} or more`).max(Number.MAX_SAFE_INTEGER, 'is too large'))
    .register(SHAPES, number('integer', { minimum: least }));

export const wholeOrAll = z
  .union([z.literal('all').transform(() => Number.POSITIVE_INFINITY), whole(1)], 'must be a whole number or all')
  .register(SHAPES, {
    json: { type: ['integer', 'string'], minimum: 1, pattern: '^all$' },
    typescript: "number | 'all'",
  });

/** The upper bound, eleven days, catches typing errors. */
export const seconds = z
  .string()
  .transform(Number)
  .pipe(z.number('must be a number of seconds').min(0.001, 'must be 0.001 seconds or more').max(1e6, 'is too large'))
  .register(SHAPES, number('number', { minimum: 0.001, maximum: 1e6 }));

/** A number between 0 and 1, both excluded. */
export const share = z
  .string()
  .transform(Number)
  .pipe(z.number('must be a number between 0 and 1').gt(0, 'must be greater than 0').lt(1, 'must be less than 1'))
  .register(SHAPES, number('number', { exclusiveMinimum: 0, exclusiveMaximum: 1 }));

export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port from 1 to 65535')
  .transform(Number)
  .pipe(z.number().min(1, 'must be a port from 1 to 65535').max(65_535, 'must be a port from 1 to 65535'))
  .register(SHAPES, number('integer', { minimum: 1, maximum: 65_535 }));

export const text = z.string();
export const texts = z.array(z.string());

/** A text that is not empty. @param what the kind of value, for the message, such as `a file` */
export const filled = (what: string) => z.string().min(1, `must be ${what}`);

export const oneOf = <const T extends readonly string[]>(choices: T) =>
  z.enum(choices, `must be one of ${choices.join(', ')}`);

/** A text, or `@FILE` for a file that contains the text. */
export const textOrFile = z.string().transform((value) => {
  if (!value.startsWith('@')) return value;
  const file = value.slice(1);
  try {
    return withoutReference(readRegularSync(file, 'textBytes').replace(/\r\n/g, '\n').trimEnd(), file);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UsageError(`cannot read the text: ${(cause as Error).message}`, {
      where: file,
      fix: 'pass a readable file: @FILE',
      cause,
    });
  }
});

/** In a lock file, a text that begins with `@` would be the name of a file. */
function withoutReference(text: string, where: string): string {
  if (!text.startsWith('@')) return text;
  throw new UsageError('text begins with @', { where, fix: 'begin it with another character, such as a quote' });
}

/** `K=V` or `K: V`, split at the first separator. */
const pair = (separator: '=' | ':', shape: string) =>
  z.string().transform((value, context) => {
    const at = value.indexOf(separator);
    const [key, rest] = [value.slice(0, at).trim(), value.slice(at + 1).trim()];
    if (at > 0 && key && rest) return [key, rest] as const;
    context.addIssue({ code: 'custom', message: `must be ${shape}` });
    return z.NEVER;
  });

/** Several pairs with distinct keys. */
export const pairs = (separator: '=' | ':', shape: string, sameKey = (key: string) => key) =>
  z
    .array(pair(separator, shape))
    .superRefine((all, context) => {
      const keys = new Set<string>();
      for (const [key] of all) {
        if (keys.has(sameKey(key))) context.addIssue({ code: 'custom', message: `is repeated for ${key}` });
        keys.add(sameKey(key));
      }
    })
    .register(SHAPES, {
      json: { type: 'string', pattern: `.${separator}.` },
      typescript: 'Readonly<Record<string, string>>',
    });

/** HTTP header names are case-insensitive. */
export const headers = (separator: '=' | ':', shape: string) => pairs(separator, shape, (name) => name.toLowerCase());

const splits = z.string().transform((value, context) => {
  if (value === 'none') return value;
  const found: { train?: string; validation?: string } = {};
  for (const part of value.split(',')) {
    const [, type, split] = /^(train|validation)=(.+)$/.exec(part.trim()) ?? [];
    if (!type || !split || type in found) {
      context.addIssue({ code: 'custom', message: 'must be train=SPLIT,validation=SPLIT, one of the two, or none' });
      return z.NEVER;
    }
    found[type as 'train' | 'validation'] = split;
  }
  return found;
});

export const datasets = splits.register(SHAPES, {
  json: { type: 'string', pattern: '^(?:none$|train=|validation=)' },
  typescript: "'none' | { readonly train?: string; readonly validation?: string }",
});
