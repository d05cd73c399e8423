export { type DiscoverOptions, discover, discoverName, type OpenDiscovery } from './discover.js';
export { Gate } from './gate.js';
export { END_TURN } from './play.js';
export { isRecording, openRecording, type RecordedDiscovery } from './recorded.js';
export { recordingText } from './recording-text.js';
export type { Reporter } from './reporter.js';
export type { Discovery, JsonText, Split, Task, TaskRef, Tool, Toolset } from './types.js';
