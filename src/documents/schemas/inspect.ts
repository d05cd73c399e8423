import { z } from 'zod';
import { Counts, count, Findings, names, SplitCount } from './parts.js';

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
