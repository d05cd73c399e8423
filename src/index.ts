export {
  type DiscoverOptions,
  type Discovery,
  discover,
  type Task,
  type Toolset,
} from './discover/index.js';
export { EXIT, Interrupted, UserError } from './errors.js';
export { folder } from './gym/index.js';
export type { GymOptions } from './model.js';
export * from './operations/index.js';
export type { Flags } from './options/index.js';
export { type OutputFile, type Plan, writeFolder } from './output/index.js';
export type { Progress, Reporter, SentRequest } from './reporter.js';
export { describe, type Finding, Findings } from './rules/index.js';
