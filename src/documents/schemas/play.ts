import { z } from 'zod';
import { MODEL_TYPES } from '../../options/play.js';
import { count, names } from './parts.js';
import { Summary } from './report.js';

const seconds = () => z.number().min(0);

export const PlayDocument = z.strictObject({
  status: z.literal('played'),
  servers: z.array(
    z.strictObject({
      name: z.string().describe('Name of the server'),
      split: z.string().describe('Name of the split'),
      rows: count().describe('Number of rows'),
    }),
  ),
  model: z
    .strictObject({
      type: z.enum(MODEL_TYPES).describe("NeMo Gym's model server"),
      url: z.string().describe('Base URL of the model server'),
      name: z.string().describe('Name of the model'),
    })
    .optional()
    .describe('Left out with `--policy`'),
  folder: z.string().describe('Folder of the results, as passed'),
  files: names().describe('Names of the files in it'),
  summary: Summary.describe('As in the report of `rollouts.jsonl`'),
  histogram: z
    .strictObject({
      start: z.number().describe('Lower edge of the first row'),
      step: z.number().describe('Width of a row'),
      counts: z.array(count()).describe('Number of rollouts in each row'),
    })
    .optional()
    .describe('Rewards of the scored rollouts; left out if there are none'),
  failed: count().describe('Rollouts that did not end; the summary leaves them out'),
  times: z
    .strictObject({
      environment: seconds().describe('Python environments'),
      start: seconds().describe('Until all servers were ready'),
      rollouts: seconds().describe('Rollouts'),
      stop: seconds().describe('Until all processes had ended'),
    })
    .describe('Durations in seconds'),
});
export type PlayDocument = z.infer<typeof PlayDocument>;
