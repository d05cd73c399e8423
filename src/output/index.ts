export { makeFolders } from '../files.js';
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
export { Digest } from './digest.js';
export { explained } from './explain.js';
export { assertFinished, finishCommits } from './finish-commits.js';
export { hashFile } from './hash-file.js';
export { type Lock, LockSchema } from './lock-schema.js';
export { LOCK_FILE } from './places.js';
export { type Planned, planFolder } from './plan-folder.js';
export { readLock, told } from './read-lock.js';
export { openRootFile, readRootFile } from './root-file.js';
export { hasGitPart } from './safe-path.js';
export { Inside } from './symlinks.js';
export { targetFile, withDraft } from './target-file.js';
export { type WriteOptions, writeFolder } from './write-folder.js';
