import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../errors.js';
import { names } from './parts.js';

export const errorParts = {
  what: z.string().describe('The problem'),
  code: z
    .enum(Object.keys(ERROR_CODES) as [ErrorCode])
    .meta({ id: 'Error code' })
    .describe('The kind of error, for programs'),
  where: z.string().optional().describe('Place of the problem: a file, a URL or a task'),
  details: names().describe('Further lines, such as each invalid value'),
  fix: z.string().optional().describe('What to do about it'),
};

export const ErrorParts = z.strictObject(errorParts).meta({ id: 'Error' });
export type ErrorParts = z.infer<typeof ErrorParts>;

const Bug = z.strictObject({ what: z.string().describe('The problem'), bug: z.literal(true) }).meta({ id: 'Bug' });

export const ErrorDocument = z.strictObject({
  error: z.union([ErrorParts, Bug]),
  exitCode: z.int().describe('Exit code of the command'),
});
export type ErrorDocument = z.infer<typeof ErrorDocument>;
