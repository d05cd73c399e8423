import { z } from 'zod';
import { count, names, Toolsets } from './parts.js';

const Estimate = z
  .strictObject({
    mean: z.number(),
    low: z.number().optional().describe('Lower end of the 95 % interval; left out if there are too few tasks'),
    high: z.number().optional().describe('Upper end of the 95 % interval'),
  })
  .meta({ id: 'Estimate' });

const Spread = z
  .strictObject({
    count: count().describe('Number of values'),
    mean: z.number(),
    least: z.number(),
    median: z.number(),
    p95: z.number().describe('19 of 20 values are at or below it'),
    most: z.number(),
  })
  .meta({ id: 'Spread' });

const NameCount = z.strictObject({ name: z.string(), count: count() });

export const Summary = z
  .strictObject({
    rollouts: count().describe('Number of rollouts'),
    tasks: count().describe('Number of tasks'),
    agents: names().describe('Names of the agents'),
    scored: count().describe('Rollouts that are not masked and have a number as reward'),
    withoutReward: count().describe('Rollouts that are not masked and have no number as reward'),
    reward: Estimate.optional().describe('Mean reward of the scored rollouts'),
    zero: count().describe('Scored rollouts with reward 0'),
    masked: count().describe('Masked rollouts'),
    masks: z
      .array(NameCount.extend({ reason: z.string().describe('Reason of the first rollout of this kind') }))
      .describe('Masked rollouts by kind'),
    withoutCall: count().describe('Rollouts that are not masked and called no tool'),
    calls: Spread.optional().describe('Tool calls of a rollout'),
    turns: Spread.optional().describe('Turns of a rollout'),
    tools: z.array(NameCount).describe('Calls by tool'),
    generated: Spread.optional().describe('Generated tokens of a rollout'),
    prompt: Spread.optional().describe('Prompt tokens of a rollout'),
    sequence: Spread.optional().describe('Tokens of the whole sequence'),
    repeated: count().describe('Tasks with several rollouts'),
    withoutSignal: count().describe('Repeated tasks whose rollouts all have the same reward, or are masked'),
  })
  .meta({ id: 'Summary' });

const page = { status: z.literal('wrote'), file: z.string().describe('The page, as passed') };

export const RolloutsReportDocument = z.strictObject({
  ...page,
  kind: z.literal('rollouts'),
  runs: z
    .array(
      z.strictObject({
        file: z.string().describe('File of rollouts, as passed'),
        summary: Summary,
        unreadable: z
          .strictObject({
            count: count(),
            first: z
              .array(z.strictObject({ line: z.int().min(1).describe('Line number in the file'), problem: z.string() }))
              .describe('The first unreadable lines, at most 5'),
          })
          .describe('Lines that could not be read'),
      }),
    )
    .describe('One entry per file'),
  change: z
    .strictObject({
      tasks: count().describe('Tasks that both files have scored'),
      reward: Estimate.optional().describe('Change of the mean reward'),
    })
    .optional()
    .describe('From the first file to the second, if there are two'),
});

export const ServerReportDocument = z.strictObject({
  ...page,
  kind: z.literal('server'),
  name: z.string().describe('Name of the server'),
  splits: z.array(
    z.strictObject({
      name: z.string().describe('Name of the split'),
      rows: count().describe('Number of rows'),
      prompt: Spread.optional().describe('Length of the prompts in characters'),
      tools: Spread.optional().describe('Length of the JSON of the tools in characters'),
      unreadable: count().describe('Lines that are not rows'),
    }),
  ),
  toolsets: Toolsets,
  overLimit: z
    .strictObject({
      count: count(),
      longest: z
        .array(z.strictObject({ row: z.string().describe('Split, index and task'), tokens: count() }))
        .describe('The longest rows, at most 10'),
    })
    .optional()
    .describe('Rows over `--max-total-sequence-length`, at 4 characters per token'),
});

export const ReportDocument = z.union([RolloutsReportDocument, ServerReportDocument]);
export type ReportDocument = z.infer<typeof ReportDocument>;
