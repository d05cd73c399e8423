/**
 * gymgen as a library. Its functions do what the commands of the same names do.
 *
 * @packageDocumentation
 */

export { type BatchSource, batch } from './api/batch.js';
export type { BatchReporter, BatchRunOptions } from './api/batch-reporter.js';
export { check } from './api/check.js';
export { inspect } from './api/inspect.js';
export type * from './api/options.js';
export { record } from './api/record.js';
export type * from './api/result-parts.js';
export type * from './api/results.js';
export type { RunOptions } from './api/run.js';
export { update } from './api/update.js';
export { write } from './api/write.js';
export { type ErrorCode, UserError } from './errors.js';
export type { OnProgress, OnRequest, Progress, Reporter, SentRequest } from './reporter.js';
