import { z } from 'zod';
import { count, Finding } from './parts.js';

const Split = z.strictObject({ split: z.string().describe('Name of the split'), rows: count() });

/** Of a trainer that trains on several servers at once. */
const config = {
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
  commands: z.array(z.string()).describe('Shell commands that start the run, in their order'),
};

export const TrainerVerlDocument = z.strictObject({
  ...config,
  overrides: z.array(z.string()).describe('Overrides for `python3 -m verl.trainer.main_ppo`, quoted for a shell'),
});
export type TrainerVerlDocument = z.infer<typeof TrainerVerlDocument>;

export const TrainerNemoRlDocument = z.strictObject({
  ...config,
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
    .describe('Rows over the longest sequence, at 4 characters per token'),
  warnings: z.array(Finding),
});
export type TrainerNemoRlDocument = z.infer<typeof TrainerNemoRlDocument>;

const RowLines = z
  .strictObject({
    count: count(),
    first: z.array(z.int().min(1)).describe('Line numbers of the first rows, at most 10'),
  })
  .meta({ id: 'Row lines' });

export const TrainerAxolotlDocument = z.strictObject({
  status: z.enum(['wrote', 'planned']).describe('`planned`: with `--dry-run`'),
  form: z.enum(['plugin', 'rollout-loop']),
  name: z.string().describe('Name of the server'),
  folder: z.string().describe('The output folder, as passed or by default'),
  files: z.array(z.string()).describe('Files in the output folder'),
  config: z.string().optional().describe('Text of the first file, with `--dry-run`'),
  fixed: z.boolean().describe('Whether the findings are fixed'),
  train: z.string().describe('Split to train on'),
  data: z
    .array(
      z.strictObject({
        split: z.string().describe('Name of the split'),
        rows: count().describe('Number of rows'),
        overLength: count().describe('Rows over `--max-total-sequence-length`, at 4 characters per token'),
        findings: z.array(
          z.strictObject({
            code: z.string().describe('Name of the rule, such as `axolotl-tools`'),
            fatal: z.boolean().describe('Whether the training stops with an error'),
            problem: z.string(),
            rows: RowLines,
          }),
        ),
      }),
    )
    .describe("What Axolotl's loader does to each file of rows"),
  model: z.string().describe('Model to train'),
  toolParser: z.string().describe("Name of vLLM's tool parser"),
  maxTotalSequenceLength: count().describe('Longest sequence in tokens'),
  runTimeout: count().describe('Time limit of a rollout in seconds'),
  agents: z.record(z.string(), z.string()).optional().describe('URLs of the agents by name, for the rollout loop'),
  steps: z
    .array(
      z.strictObject({
        title: z.string().describe('What the step starts'),
        commands: z.array(z.string()).describe('Shell commands in their order'),
      }),
    )
    .describe('What to run, in this order, each in a terminal of its own'),
});
export type TrainerAxolotlDocument = z.infer<typeof TrainerAxolotlDocument>;
