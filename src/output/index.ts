export { finishCommits } from './finish-commits.js';
export { LOCK_FILE } from './places.js';
export { type Lock, readLock } from './read-lock.js';
export type {
  CopyFile,
  FileState,
  JsonValue,
  OutputFile,
  Plan,
  PlanEntry,
  RowsFile,
  TextFile,
} from './types.js';
export { type Target, type WriteOptions, type Written, writeFolder } from './write-folder.js';
