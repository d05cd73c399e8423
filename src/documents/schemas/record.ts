import { z } from 'zod';
import { count, SplitCount } from './parts.js';

export const RecordDocument = z.strictObject({
  status: z.literal('recorded'),
  file: z.string().describe('The recording, as passed'),
  environment: z.string().describe('Name of the environment'),
  splits: z.array(SplitCount),
  toolsets: count().describe('Number of toolsets'),
});
export type RecordDocument = z.infer<typeof RecordDocument>;
