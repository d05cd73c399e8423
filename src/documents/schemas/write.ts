import { z } from 'zod';
import { Counts, Datasets, Findings, FOLDER, names, PlanEntry, Rows, Settings, Toolsets } from './parts.js';

export const WriteDocument = z.strictObject({
  status: z.enum(['wrote', 'unchanged', 'planned']).describe('`planned`: with `--dry-run`'),
  folder: z.string().describe(FOLDER),
  name: z.string().describe('Name of the server'),
  environment: z.string().describe('Name of the environment'),
  rows: Rows,
  toolsets: Toolsets,
  datasets: Datasets.optional(),
  notes: names().describe('Facts and decisions of the run'),
  warnings: Findings.describe('With `--strict`, warnings are errors'),
  kept: Settings,
  counts: Counts,
  plan: z.array(PlanEntry).optional().describe('Every file of the folder; with `--dry-run`'),
  row: z.string().nullable().optional().describe('The first row, as the text of its line; with `--dry-run`'),
});
export type WriteDocument = z.infer<typeof WriteDocument>;
