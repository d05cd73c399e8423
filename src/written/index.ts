export { EditedPrompts } from './edited-prompts.js';
export { currentSettings, readGymRoot, type WrittenFolder, writtenFolders } from './gym-root.js';
export { readRows, readServerFolder, type ServerFolder, type WrittenToolset } from './server-folder.js';
export { type Targets, targetFolders } from './targets.js';
