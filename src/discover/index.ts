export type { Discovery, DiscoverySummary, JsonText, Split, Task, TaskRef, Tool, Toolset } from '../model.js';
export type { DiscoverOptions, OpenDiscovery, ProvidedTasksRequest, Reporter, TaskSelection } from './options.js';
export type { ActionOptions } from './probe/action.js';
export { END_TURN } from './probe/episode.js';
export type { PromptOptions } from './probe/prompt.js';
export { Semaphore } from './probe/sessions.js';
export { isRecording, openRecording, type RecordedDiscovery } from './recording/reader.js';
export { recordingText } from './recording/writer.js';
export { discover, discoverName } from './server.js';
