export { memberAt, members } from '../json/members.js';
export { excerpt } from './excerpt.js';
export { Unreachable } from './failure.js';
export { HttpClient, HttpStatusError, NotJsonError } from './http.js';
export {
  failureOf,
  type ListedTool,
  listedTools,
  type Observation,
  type ReportedTask,
  reportedTask,
  scoreNames,
} from './messages.js';
export { pages } from './pages.js';
export { prefetch } from './prefetch.js';
export { ServerBusy, waitFor } from './retry-after.js';
export { type Answer, prepareSessions, Session } from './session.js';
export { RefusedError, ServerFull, SessionLost } from './session-errors.js';
export { tlsExplained } from './speaks-tls.js';
export { NoTaskApi, TaskApi, type TaskDescriptor } from './task-api.js';
export { parseServerUrl, type ServerUrl } from './url.js';
