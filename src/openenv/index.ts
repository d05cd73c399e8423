export { excerpt } from './excerpt.js';
export { Unreachable } from './failure.js';
export { HttpClient, HttpStatusError, NotJsonError } from './http.js';
export { failureOf, type ListedTool, type Observation, type PlayedTask, playedTask } from './messages.js';
export { Session } from './session.js';
export { RefusedError, ServerFull, SessionLost } from './session-errors.js';
export { TaskApi, type TaskDescriptor } from './task-api.js';
export { parseServerUrl, type ServerUrl } from './url.js';
