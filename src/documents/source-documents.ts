// Schemas of the documents of `gymgen inspect --json` and `gymgen record --json`; see schemas.ts.

import { z } from 'zod';
import { Counts, count, Findings, names } from './schemas.js';

const Tool = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.string().describe('JSON schema of the arguments, as text, so that numbers keep their spelling'),
});

const TaskRef = z.strictObject({
  split: z.string(),
  index: count().describe('Position in the split, from 0'),
  id: z.string().describe("The server's id of the task"),
  reset: z.string().optional().describe('Arguments of the reset, a JSON object as text'),
});

const SplitCount = z.strictObject({
  name: z.string().describe('Name of the split'),
  count: count().describe('Number of tasks read'),
});

export const InspectDocument = z.strictObject({
  envName: z.string().describe('Name of the environment'),
  name: z.string().describe('Name that the written server would have'),
  interface: z.enum(['tools', 'action']).describe('`action`: one action, which becomes the tool `step`'),
  splits: z.array(
    SplitCount.extend({
      prompts: z
        .strictObject({ shortest: count(), mean: count(), longest: count() })
        .describe('Length of the prompts in characters'),
    }),
  ),
  toolsets: z.array(
    z.strictObject({
      key: z.string().describe('`toolset:NAME`, `agent:NAME` or `task:ID`'),
      tasks: z.array(TaskRef).describe('Tasks that were probed'),
      turns: z.array(z.array(Tool)).describe('Tools of each turn'),
    }),
  ),
  notes: names().describe('Facts and decisions of the run'),
  refused: Findings.describe('Problems that NeMo Gym would reject'),
  warnings: Findings,
  counts: Counts,
});
export type InspectDocument = z.infer<typeof InspectDocument>;

export const RecordDocument = z.strictObject({
  status: z.literal('recorded'),
  file: z.string().describe('The recording, as passed'),
  environment: z.string().describe('Name of the environment'),
  splits: z.array(SplitCount),
  toolsets: count().describe('Number of toolsets'),
});
export type RecordDocument = z.infer<typeof RecordDocument>;
