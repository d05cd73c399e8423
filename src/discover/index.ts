export { type DiscoverOptions, discover, type OpenDiscovery } from './discover.js';
export { END_TURN } from './play.js';
export { isRecording, openRecording, type RecordedDiscovery } from './recorded.js';
export { recordingText } from './recording-text.js';
export type { Reporter } from './reporter.js';
export type { Discovery, JsonText, Split, Task, TaskRef, Tool, Toolset } from './types.js';
