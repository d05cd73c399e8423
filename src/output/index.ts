export { explained } from './explain.js';
export { assertFinished, finishCommits } from './finish-commits.js';
export { LOCK_FILE } from './places.js';
export { type Planned, planFolder } from './plan-folder.js';
export { type Lock, readLock } from './read-lock.js';
export type {
  CopyFile,
  Edits,
  FileState,
  JsonValue,
  OutputFile,
  Plan,
  PlanEntry,
  RowsFile,
  Target,
  TextFile,
  Written,
} from './types.js';
export { type WriteOptions, writeFolder } from './write-folder.js';
