export { PromptKeeper } from './keep-prompts.js';
export { currentSettings, readRoot } from './read-root.js';
export { type WrittenFolder, writtenFolders } from './written.js';
