// Parts of several documents of `--json`. docs/json.md is generated from the schemas in this folder, and tests validate real
// output with them. The code imports only their types.

import { z } from 'zod';

export const count = () => z.int().min(0);
export const names = () => z.array(z.string());

export const Rows = z.array(
  z
    .strictObject({ split: z.string().describe('Name of the split'), rows: count().describe('Number of rows') })
    .meta({ id: 'Split' }),
);

export const SplitCount = z.strictObject({
  name: z.string().describe('Name of the split'),
  count: count().describe('Number of tasks read'),
});

export const Toolsets = z.array(
  z.strictObject({
    key: z.string().describe('`toolset:NAME`, `agent:NAME` or `task:ID`'),
    tools: names().describe('Names of the tools'),
    turns: count().describe('Number of turns that were probed'),
  }),
);

export const Datasets = z
  .strictObject({
    train: z.string().optional().describe('Split to train on'),
    validation: z.string().optional().describe('Split to validate on'),
    license: z.string().describe("NeMo Gym's name of the license"),
    examples: z.boolean().describe('Whether `data/example.jsonl` is written'),
  })
  .meta({ id: 'Datasets' })
  .describe('The datasets in the config, if there are any');

export const Settings = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .describe('Settings of the existing config that were kept, by name');

export const Finding = z
  .strictObject({
    code: z.string().describe('Name of the rule, such as `tool-name`'),
    subject: z.string().describe("What has the problem, such as `tool 'verify'`"),
    problem: z.string().describe('The problem; read it after `subject`'),
    fix: z.string().describe('What to do about it'),
    severity: z.enum(['error', 'warning']),
  })
  .meta({ id: 'Finding' });

export const Findings = z.array(Finding);

export const Counts = z
  .strictObject({
    sessions: count().describe('Sessions opened'),
    requests: count().describe('HTTP requests'),
    bytes: count().describe('Bytes received over HTTP'),
  })
  .meta({ id: 'Counts' });

const FileState = z.enum(['create', 'update', 'same', 'stale', 'edited']);

const planEntry = {
  path: z.string().describe('Path in the folder'),
  state: FileState.describe('`stale`: no longer generated; `edited`: edited by hand'),
  note: z.string().optional().describe('Reason for the state'),
  isGymgenChange: z.literal(true).optional().describe('Whether gymgen itself changed, not the source'),
};

export const GeneratorChange = z
  .strictObject({ before: count(), now: count() })
  .meta({ id: 'Revisions' })
  .describe('Set if gymgen itself changed since the folder was written');

const Named = z
  .strictObject({
    count: count(),
    first: z
      .array(z.strictObject({ task: z.string(), line: z.int().min(1).describe('Line number in the file') }))
      .describe('The first rows or lines, at most 10'),
  })
  .meta({ id: 'Rows' });

const RowChange = z
  .strictObject({
    task: z.string().describe("Task, such as `train[3] 'day-3'`"),
    line: z.int().min(1).describe('Line number in the file'),
    fields: z.array(
      z.strictObject({
        field: z.string().describe('Field, such as `prompt`'),
        before: z.string().nullable().describe('Existing text around the first difference; null if there is none'),
        after: z.string().nullable().describe('Generated text around the first difference; null if there is none'),
      }),
    ),
  })
  .meta({ id: 'Changed row' });

const RowsDifference = z
  .strictObject({
    added: Named.describe('Generated rows that the file lacks, with line numbers of the generated file'),
    removed: Named.describe('Rows that are no longer generated'),
    changed: z.strictObject({
      count: count(),
      first: z.array(RowChange).describe('The first changed rows, at most 10'),
      fields: z.record(z.string(), count()).describe('Number of changed rows by field'),
    }),
    moved: Named.describe('Rows that differ only in their index'),
    reordered: Named.describe('Rows that are not in the generated order'),
    broken: Named.describe('Lines that are not rows'),
    repeated: Named.describe('Rows of tasks that the file has more than once'),
    blank: z.strictObject({ count: count(), first: z.array(z.int().min(1)).describe('The first line numbers') }),
    unended: z.boolean().describe('Whether the last line has no line break'),
  })
  .meta({ id: 'Row differences' });

export const PlanEntry = z.strictObject(planEntry).meta({ id: 'Planned file' });

export const FileDifference = z
  .strictObject({
    ...planEntry,
    diff: names().optional().describe('For a text file: lines of a unified diff'),
    rows: RowsDifference.optional().describe('For a file of rows'),
  })
  .meta({ id: 'Difference' });

export const FOLDER = 'Absolute path of the folder';
