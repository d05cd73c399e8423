import { z } from 'zod';
import { count, names } from './parts.js';

const Fileset = z
  .strictObject({
    name: z.string().describe('Name of the file set'),
    files: z
      .array(
        z.strictObject({
          path: z.string().describe('Path in the file set'),
          size: z.int().min(0).describe('Bytes'),
          hash: z.string().describe('SHA-256, in hex'),
        }),
      )
      .describe('Sorted by path'),
  })
  .meta({ id: 'Fileset' });

export const PackageDocument = z.strictObject({
  status: z
    .enum(['wrote', 'unchanged', 'planned', 'same', 'differs'])
    .describe('`planned` with `--dry-run`; `same` or `differs` with `--check`'),
  folder: z.string().describe('The package, as passed'),
  servers: names().describe('Names of the servers'),
  environment: Fileset,
  dataset: Fileset.extend({
    rows: z.array(z.strictObject({ path: z.string(), rows: count() })).describe('Number of rows of each file'),
  }),
  leftOut: z
    .array(z.strictObject({ path: z.string().describe("Server's name and path"), why: z.string() }))
    .describe('Files of the written folders that stay out'),
  entries: z
    .array(
      z.strictObject({
        path: z.string(),
        state: z.enum(['create', 'update', 'same', 'stale', 'edited']),
        note: z.string().optional(),
      }),
    )
    .describe('What happens to each file of the package'),
  warnings: names().describe('What may keep a job from playing the rows'),
  notes: names().describe('Further information'),
  commands: names().describe('Commands that upload the file sets and submit the job'),
});
export type PackageDocument = z.infer<typeof PackageDocument>;
