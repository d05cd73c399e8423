export { EditedPrompts } from './edited-prompts.js';
export { currentSettings, readGymRoot, type WrittenFolder, writtenFolders } from './gym-root.js';
export { CHARACTERS_PER_TOKEN, type RowLength, rowLength, tokensOf } from './row-length.js';
export { readRows, readServerFolder, type ServerFolder, type WrittenToolset } from './server-folder.js';
export { type Targets, targetFolders } from './targets.js';
