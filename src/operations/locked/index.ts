export { eachFolder, type FolderOutcome } from './each-folder.js';
export { type LockFlags, lockedRequests } from './requests.js';
