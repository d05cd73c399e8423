export { formatAmount, formatInterval, formatReward, formatShare, plural } from './format.js';
export { MARK } from './page.js';
export { type Line, readLines } from './read-lines.js';
export { type Rollout, rolloutOf } from './rollout.js';
export type { ReportOptions, Run } from './rollouts-report.js';
export type { SplitReport } from './server-report.js';
export { binsOf, type Estimate, histogram, type Spread } from './statistics.js';
export { type Change, type Summary, summarize } from './summary.js';
export { type Report, writeReport } from './write-report.js';
