import type { Discovery } from '../model.js';
import type { TaskSelection } from './listing.js';
import type { ActionOptions } from './probe/action.js';
import type { ProbeOptions } from './probe/episode.js';
import type { PromptOptions } from './probe/prompt.js';
import type { Semaphore } from './probe/sessions.js';
import type { SeedsRequest } from './provided/provided-tasks.js';

/** Tasks for a server that lists none: a file of tasks, or one task per seed. */
export type ProvidedTasksRequest = { file: string } | SeedsRequest;

export interface DiscoverOptions extends ProbeOptions, TaskSelection {
  /** Headers for this server, which may hold credentials. */
  headers: Record<string, string>;
  /** All tasks are probed if the server has at most this many; `Infinity` probes all tasks only if their tools differ. */
  probes: number;
  /** Maximum number of sessions at a time. */
  maxSessions: number;
  /** Shared by runs that use the same server at the same time. */
  semaphore?: Semaphore;
  /** Tasks that replace those of the server. */
  provided?: ProvidedTasksRequest;
  /** How provided tasks without a prompt get one. */
  prompt?: PromptOptions;
  /** How the action of an environment without tools becomes a tool. */
  action?: ActionOptions;
  /** Whether the user limits the number of model calls: no warning is then needed about episodes that never end. */
  bounded?: boolean;
  signal: AbortSignal;
}

/** A discovery that holds a connection or a file. */
export interface OpenDiscovery extends Discovery {
  /** Sessions opened, requests sent and bytes received so far. */
  counts(): { sessions: number; requests: number; bytes: number };
  /** Ends the probes in progress, and closes the connection or the file. */
  close(): Promise<void>;
}
