export { type DiscoverOptions, discover, type OpenDiscovery } from './discover.js';
export { END_TURN } from './play.js';
export type { Reporter } from './reporter.js';
export type { Discovery, JsonText, Split, Task, TaskRef, Tool, Toolset } from './types.js';
