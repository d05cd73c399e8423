export { PromptKeeper } from './keep-prompts.js';
export { currentSettings, readRoot } from './read-root.js';
export { readRows, readServerFolder, type ServerFolder, type WrittenToolset } from './server-folder.js';
export { type WrittenFolder, writtenFolders } from './written.js';
