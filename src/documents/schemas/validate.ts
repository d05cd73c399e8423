import { z } from 'zod';
import { count, names } from './parts.js';

const RuleFinding = z
  .strictObject({
    code: z.string().describe('Name of the rule; see [rules.md](rules.md)'),
    severity: z.enum(['error', 'warning']),
    subject: z.string().describe("What has the problem, such as `key 'version'`"),
    problem: z.string().describe('The problem; read it after `subject`'),
    fix: z.string().describe('What to do about it'),
    why: z.string().describe('Why the rule exists'),
    when: z
      .enum(['submit', 'start', 'rollout', 'training', 'never'])
      .describe('When it would have been found otherwise; see [rules.md](rules.md)'),
    file: z.string().describe('Path below the target; empty for the target itself'),
    line: z.int().min(1).optional().describe('Line number in the file'),
    row: z.int().min(1).optional().describe('Number of the row'),
    more: count().describe('Further findings of this rule in this file, which are not listed'),
  })
  .meta({ id: 'Rule finding' });

export const ValidateDocument = z.strictObject({
  status: z.enum(['valid', 'invalid']).describe('`invalid` if there are errors'),
  errors: count().describe('Number of errors'),
  warnings: count().describe('Number of warnings'),
  targets: z
    .array(
      z.strictObject({
        kind: z.enum(['root', 'server', 'package', 'dataset']),
        path: z.string().describe('As passed'),
        findings: z.array(RuleFinding),
        rows: z
          .array(z.strictObject({ file: z.string(), rows: count().describe('Number of lines') }))
          .describe('Files of rows'),
        notJudged: names().describe('What could not be judged, and why'),
      }),
    )
    .describe('One entry per target'),
});
export type ValidateDocument = z.infer<typeof ValidateDocument>;
