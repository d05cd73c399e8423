// Schemas of the documents of `gymgen trainer --json`; see documents.ts.

import { z } from 'zod';
import { count, Finding } from './documents.js';

const Split = z.strictObject({ split: z.string().describe('Name of the split'), rows: count() });

export const TrainerNemoRlDocument = z.strictObject({
  status: z
    .enum(['wrote', 'same', 'planned'])
    .describe('`same`: the file has this config already; `planned`: with `--dry-run`'),
  file: z.string().describe('The config, as passed or by default'),
  config: z.string().optional().describe('Text of the config, with `--dry-run`'),
  servers: z.array(
    z.strictObject({
      name: z.string().describe('Name of the server'),
      train: Split.describe('Rows to train on'),
      validation: Split.optional().describe('Rows to validate on'),
    }),
  ),
  model: z.string().describe('Model to train'),
  toolParser: z.string().describe("Name of vLLM's tool parser"),
  promptsPerStep: count().describe('Rows in a training step'),
  generations: count().describe('Rollouts per row'),
  maxTotalSequenceLength: count().describe('Longest sequence in tokens'),
  overLength: z
    .strictObject({
      count: count(),
      longest: z
        .array(
          z.strictObject({
            server: z.string(),
            split: z.string(),
            line: z.int().min(1).describe('Line number in the file of rows'),
            task: z.string().optional(),
            tokens: count(),
          }),
        )
        .describe('The longest rows, at most 10'),
    })
    .describe('Rows over the longest sequence, at 4 characters a token'),
  warnings: z.array(Finding),
  commands: z.array(z.string()).describe('Shell commands that start the run, in their order'),
});
export type TrainerNemoRlDocument = z.infer<typeof TrainerNemoRlDocument>;
