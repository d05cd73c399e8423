import { z } from 'zod';
import { errorParts } from './error.js';
import { Counts, count, FileDifference, Findings, FOLDER, GeneratorChange, names, Rows } from './parts.js';

export const CheckedFolder = z
  .strictObject({
    name: z.string().describe('Name of the server'),
    folder: z.string().describe(FOLDER),
    status: z.enum(['same', 'differs']),
    generator: GeneratorChange.optional(),
    rows: Rows,
    differences: z.array(FileDifference).describe('Every file that differs'),
    keptFiles: z
      .array(z.strictObject({ path: z.string(), note: z.string().describe('Reason') }))
      .describe('Files that you keep, or whose edited prompts you keep; they do not count as differences'),
    unlisted: names().describe('Row and Python files that gymgen did not write; they do not count as differences'),
    former: names().describe('Other folders of the Gym root that were written from the same source under another name'),
    sample: z
      .strictObject({ probed: count(), tasks: count() })
      .describe('Tasks that were probed for their tools, and the estimated number of different tasks'),
    warnings: Findings,
    counts: Counts,
  })
  .meta({ id: 'Checked folder' });
export type CheckedFolder = z.infer<typeof CheckedFolder>;

const CheckFailure = z
  .strictObject({ ...errorParts, name: z.string().describe('Name of the server') })
  .meta({ id: 'Check failure' });

export const CheckDocument = z.strictObject({
  status: z.enum(['same', 'differs', 'failed']).describe('`failed`: a folder could not be compared'),
  folders: z.array(CheckedFolder),
  failures: z.array(CheckFailure).optional().describe('Folders that could not be compared'),
});
export type CheckDocument = z.infer<typeof CheckDocument>;
