import { z } from 'zod';
import { ErrorParts } from './error.js';
import { count, FileDifference, FOLDER, GeneratorChange, PlanEntry, Rows, Settings } from './parts.js';

const Updated = z
  .strictObject({
    name: z.string().describe('Name of the server'),
    folder: z.string().describe(FOLDER),
    status: z.enum(['wrote', 'unchanged', 'planned']).describe('`planned`: with `--dry-run`'),
    generator: GeneratorChange.optional(),
    rows: Rows,
    kept: Settings,
    keptPrompts: count().describe('Rows with edited prompts that were kept'),
    edited: z.array(FileDifference).describe('Files with manual edits that were kept'),
    plan: z.array(PlanEntry).optional().describe('Every file of the folder; with `--dry-run`'),
  })
  .meta({ id: 'Updated folder' });

const NotUpdated = z
  .strictObject({
    name: z.string().describe('Name of the server'),
    status: z.literal('failed'),
    error: ErrorParts,
  })
  .meta({ id: 'Failed folder' });

export const UpdateDocument = z.strictObject({ folders: z.array(z.union([Updated, NotUpdated])) });
export type UpdateDocument = z.infer<typeof UpdateDocument>;
