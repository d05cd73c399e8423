export type { CurrentConfig } from './config.js';
export { EditedPrompts } from './edited-prompts.js';
export { currentConfig, currentSettings, readGymRoot } from './gym-root.js';
export { KeptSettings } from './kept-settings.js';
export { rootFolders, type UnusableFolder, type WrittenFolder, writtenFolders } from './root-folders.js';
export { CHARACTERS_PER_TOKEN, type RowLength, rowLength, tokensOf } from './row-length.js';
export { readRows, readServerFolder, type ServerFolder, type WrittenToolset } from './server-folder.js';
export { type Targets, targetFolders } from './targets.js';
