export {
  type BatchObserver,
  type BatchOptions,
  type Job,
  type Outcome,
  runBatch as batch,
  type Status,
} from './batch.js';
export { type CheckReport, check } from './check.js';
export { type DemoReport, demo, serveDemo } from './demo.js';
export { type Check, doctor } from './doctor/index.js';
export { eachFolder, type FolderOutcome, type LockFlags, lockedRequests } from './from-lock/index.js';
export type { Generated, GenerateRequest } from './generate.js';
export { type Inspection, type InspectRequest, inspect } from './inspect.js';
export type { SourceRequest } from './open-source.js';
export { type RecordReport, record } from './record.js';
export { type ReportRequest, report } from './report.js';
export { requestOf } from './request.js';
export { type TrainerAxolotlReport, type TrainerAxolotlRequest, trainerAxolotl } from './trainer-axolotl.js';
export { type UpdateReport, update } from './update.js';
export { type Judged, type ValidateReport, type ValidateRequest, validate } from './validate.js';
export { type WriteReport, type WriteRequest, write } from './write.js';
