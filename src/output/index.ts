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
export { LinkGuard } from './link-guard.js';
export { describeIssues, type Lock, LockSchema, lockedPrompts, lockedRows, readLock } from './lock-file.js';
export { type NewFile, targetFile, withDraft, writeFiles } from './loose-files.js';
export {
  type FileFacts,
  readWhole,
  type WholeFile,
  type WholeFolder,
  type WholeWritten,
  writeWhole,
} from './package-folder.js';
export { hasGitPart, LEFTOVER, LOCK_FILE } from './paths.js';
export { assertFinished, finishCommits } from './recovery.js';
export { replaceableText, type SignedStatus, signed, writeSigned } from './signed-file.js';
export { type Planned, planFolder, type WriteOptions, writeFolder } from './write-folder.js';
