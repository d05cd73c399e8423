export { excerpt } from './excerpt.js';
export { Unreachable } from './failure.js';
export { HttpClient, HttpStatusError, NotJsonError } from './http.js';
export { failureOf, type ListedTool, type Observation, type PlayedTask, playedTask } from './messages.js';
export { RefusedError, ServerFull, Session } from './session.js';
export { TaskApi, type TaskDescriptor } from './task-api.js';
export { parseServerUrl, type ServerUrl } from './url.js';
