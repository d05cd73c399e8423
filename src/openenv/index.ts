export { memberAt, members } from '../json/members.js';
export { excerpt, ServerFull, tlsExplained, Unreachable } from './failures.js';
export { HttpClient } from './http.js';
export { HttpStatusError, NotJsonError } from './http-answer.js';
export {
  failureOf,
  type ListedTool,
  listedTools,
  type Observation,
  RefusedError,
  type ReportedTask,
  reportedTask,
  SessionLost,
  scoreNames,
} from './messages.js';
export { pages, prefetch } from './pages.js';
export { proxyFor } from './proxy.js';
export { isReachable } from './reachable.js';
export { ServerBusy, waitFor } from './retry-after.js';
export { type Answer, prepareSessions, Session } from './session.js';
export { NoTaskApi, TaskApi, type TaskDescriptor } from './task-api.js';
export { parseServerUrl, type ServerUrl } from './url.js';
