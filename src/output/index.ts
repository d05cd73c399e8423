export type {
  Edits,
  FileState,
  JsonValue,
  KeptPrompts,
  OutputFile,
  Plan,
  PlanEntry,
  RowsFile,
  Target,
  TextFile,
  Written,
} from '../model.js';
export { Digest, hashFile } from './hash.js';
export { describeIssues, type Lock, LockSchema, lockedPrompts, lockedRows, readLock } from './lock-file.js';
export { hasGitPart, LinkGuard, LOCK_FILE } from './paths.js';
export { assertFinished, finishCommits } from './recovery.js';
export { targetFile, withDraft } from './target-file.js';
export { type Planned, planFolder, type WriteOptions, writeFolder } from './write-folder.js';
