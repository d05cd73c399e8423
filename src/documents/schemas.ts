// Schemas of the documents that `--json` prints. docs/json.md is generated from them, and tests validate real output. The code
// imports only their types.

import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../errors.js';

export const count = () => z.int().min(0);
export const names = () => z.array(z.string());

const errorParts = {
  what: z.string().describe('The problem'),
  code: z
    .enum(Object.keys(ERROR_CODES) as [ErrorCode])
    .meta({ id: 'Error code' })
    .describe('The kind of error, for programs'),
  where: z.string().optional().describe('Place of the problem: a file, a URL or a task'),
  details: names().describe('Further lines, such as each invalid value'),
  fix: z.string().optional().describe('What to do about it'),
};

export const ErrorParts = z.strictObject(errorParts).meta({ id: 'Error' });
export type ErrorParts = z.infer<typeof ErrorParts>;

const Bug = z.strictObject({ what: z.string().describe('The problem'), bug: z.literal(true) }).meta({ id: 'Bug' });

export const ErrorDocument = z.strictObject({
  error: z.union([ErrorParts, Bug]),
  exitCode: z.int().describe('Exit code of the command'),
});
export type ErrorDocument = z.infer<typeof ErrorDocument>;

const Rows = z.array(
  z
    .strictObject({ split: z.string().describe('Name of the split'), rows: count().describe('Number of rows') })
    .meta({ id: 'Split' }),
);

export const Toolsets = z.array(
  z.strictObject({
    key: z.string().describe('`toolset:NAME`, `agent:NAME` or `task:ID`'),
    tools: names().describe('Names of the tools'),
    turns: count().describe('Number of turns that were probed'),
  }),
);

const Datasets = z
  .strictObject({
    train: z.string().optional().describe('Split to train on'),
    validation: z.string().optional().describe('Split to validate on'),
    license: z.string().describe("NeMo Gym's name of the license"),
    examples: z.boolean().describe('Whether `data/example.jsonl` is written'),
  })
  .meta({ id: 'Datasets' })
  .describe('The datasets in the config, if there are any');

const Settings = z
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

const GeneratorChange = z
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

const PlanEntry = z.strictObject(planEntry).meta({ id: 'Planned file' });

const FileDifference = z
  .strictObject({
    ...planEntry,
    diff: names().optional().describe('For a text file: lines of a unified diff'),
    rows: RowsDifference.optional().describe('For a file of rows'),
  })
  .meta({ id: 'Difference' });

const FOLDER = 'Absolute path of the folder';

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

const CheckedFolder = z
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

export const BatchDocument = z.strictObject({
  jobs: z.array(
    z
      .strictObject({
        source: z.string().describe('Source as passed, without credentials'),
        status: z
          .enum(['wrote', 'unchanged', 'same', 'differs', 'failed', 'skipped'])
          .describe('`same` and `differs`: with `--check`; `skipped`: not started'),
        name: z.string().optional().describe('Name of the server, if known'),
        rows: count().optional().describe('Number of rows'),
        toolsets: count().optional().describe('Number of toolsets'),
        check: CheckedFolder.optional().describe('With `--check`: what differs'),
        error: ErrorParts.optional(),
      })
      .meta({ id: 'Batch job' }),
  ),
});
export type BatchDocument = z.infer<typeof BatchDocument>;

export const DoctorDocument = z.strictObject({
  status: z.enum(['ok', 'missing']).describe('`missing`: something needed is missing'),
  checks: z.array(
    z.strictObject({
      name: z.string().describe('Program, package, or another need'),
      use: z.string().describe('What it is for'),
      found: z.string().nullable().describe('Version and path, free disk space, or state of the port; null if missing'),
      problem: z.string().optional().describe('Why the need counts as missing, unless it was simply not found'),
      fix: z.string().optional().describe('How to get it on this machine'),
      needed: z.boolean().describe('False if gymgen or uv can install it when needed'),
      warning: z.string().optional().describe('Problem with what was found'),
    }),
  ),
});
export type DoctorDocument = z.infer<typeof DoctorDocument>;
