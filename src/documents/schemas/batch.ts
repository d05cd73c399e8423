import { z } from 'zod';
import { CheckedFolder } from './check.js';
import { ErrorParts } from './error.js';
import { count } from './parts.js';

export const BatchDocument = z.strictObject({
  jobs: z.array(
    z
      .strictObject({
        source: z.string().describe('Source as passed, without credentials'),
        status: z
          .enum(['wrote', 'unchanged', 'same', 'differs', 'failed', 'skipped'])
          .describe('`same` and `differs`: with `--check`; `skipped`: not started'),
        name: z.string().optional().describe('Name of the server, if known'),
        rows: count().optional().describe('Number of rows'),
        toolsets: count().optional().describe('Number of toolsets'),
        check: CheckedFolder.optional().describe('With `--check`: what differs'),
        error: ErrorParts.optional(),
      })
      .meta({ id: 'Batch job' }),
  ),
});
export type BatchDocument = z.infer<typeof BatchDocument>;
