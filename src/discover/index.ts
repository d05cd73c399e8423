export type { ActionOptions } from './action.js';
export { discover } from './discover.js';
export type { DiscoverOptions, GivenRequest, OpenDiscovery } from './options.js';
export { END_TURN } from './play.js';
export type { PromptOptions } from './prompt.js';
export { isRecording, openRecording, type RecordedDiscovery } from './recorded.js';
export { recordingText } from './recording-text.js';
export type { Reporter } from './reporter.js';
export type { Discovery, JsonText, Split, Task, TaskRef, Tool, Toolset } from './types.js';
