export { rootToCheck } from './check-root.js';
export { eachFolder, type FolderOutcome } from './each-folder.js';
export type { LockFlags } from './options.js';
export { type LockedRoot, lockedRequests } from './requests.js';
export { rootToUpdate } from './update-root.js';
