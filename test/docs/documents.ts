import type { z } from 'zod';
import { BatchDocument } from '../../src/documents/schemas/batch.js';
import { CheckDocument } from '../../src/documents/schemas/check.js';
import { DoctorDocument } from '../../src/documents/schemas/doctor.js';
import { ErrorDocument } from '../../src/documents/schemas/error.js';
import { InspectDocument } from '../../src/documents/schemas/inspect.js';
import { PackageDocument } from '../../src/documents/schemas/package.js';
import { PlayDocument } from '../../src/documents/schemas/play.js';
import { RecordDocument } from '../../src/documents/schemas/record.js';
import { RolloutsReportDocument, ServerReportDocument } from '../../src/documents/schemas/report.js';
import {
  TrainerAxolotlDocument,
  TrainerNemoRlDocument,
  TrainerVerlDocument,
} from '../../src/documents/schemas/trainer.js';
import { UpdateDocument } from '../../src/documents/schemas/update.js';
import { ValidateDocument } from '../../src/documents/schemas/validate.js';
import { WriteDocument } from '../../src/documents/schemas/write.js';

/** A document that `--json` prints. */
export interface JsonDocument {
  /** Heading in docs/json.md. */
  heading: string;
  /** File in schemas/json/. */
  file: string;
  intro: string;
  schema: z.ZodType;
}

export const DOCUMENTS: readonly JsonDocument[] = [
  {
    heading: 'Errors',
    file: 'error.json',
    intro: 'Any command that fails prints this document, even if the command line is invalid.',
    schema: ErrorDocument,
  },
  {
    heading: 'write',
    file: 'write.json',
    intro: 'Also `demo`. With `--diff`, `write` prints the document of `check`.',
    schema: WriteDocument,
  },
  { heading: 'check', file: 'check.json', intro: 'One entry per folder.', schema: CheckDocument },
  { heading: 'update', file: 'update.json', intro: 'One entry per folder.', schema: UpdateDocument },
  {
    heading: 'batch',
    file: 'batch.json',
    intro: 'One entry per source, in the order of the batch.',
    schema: BatchDocument,
  },
  { heading: 'record', file: 'record.json', intro: 'The splits that were recorded.', schema: RecordDocument },
  { heading: 'inspect', file: 'inspect.json', intro: 'What a source serves.', schema: InspectDocument },
  { heading: 'play', file: 'play.json', intro: 'The figures of a run.', schema: PlayDocument },
  {
    heading: 'package',
    file: 'package.json',
    intro: 'What is in a package, and the commands for it.',
    schema: PackageDocument,
  },
  { heading: 'validate', file: 'validate.json', intro: 'One entry per target.', schema: ValidateDocument },
  { heading: 'report', file: 'report.json', intro: 'A report of rollouts.', schema: RolloutsReportDocument },
  {
    heading: 'report of a server',
    file: 'report-server.json',
    intro: 'A report of a folder in `resources_servers/`.',
    schema: ServerReportDocument,
  },
  {
    heading: 'trainer nemo-rl',
    file: 'trainer-nemo-rl.json',
    intro: 'A config of NeMo RL.',
    schema: TrainerNemoRlDocument,
  },
  {
    heading: 'trainer axolotl',
    file: 'trainer-axolotl.json',
    intro: 'The files that Axolotl needs.',
    schema: TrainerAxolotlDocument,
  },
  {
    heading: 'trainer verl',
    file: 'trainer-verl.json',
    intro: 'What the recipe `nemo_gym` of verl needs.',
    schema: TrainerVerlDocument,
  },
  { heading: 'doctor', file: 'doctor.json', intro: 'One entry per need.', schema: DoctorDocument },
];
