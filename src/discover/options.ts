import type { Discovery } from '../model.js';
import type { ActionOptions } from './action.js';
import type { EpisodesRequest } from './episodes.js';
import type { Gate } from './gate.js';
import type { PlayOptions } from './play.js';
import type { PromptOptions } from './prompt.js';

/** Tasks for a server that lists none: a file of them, or episodes that differ in their seeds. */
export type GivenRequest = { file: string } | EpisodesRequest;

export interface DiscoverOptions extends PlayOptions {
  /** Headers for this server, which may hold credentials. */
  headers: Record<string, string>;
  /** Names of the splits to read; all where it is empty. */
  splits: string[];
  /** Tasks of a split, at most. */
  limit: number;
  /** Tasks of a toolset that are played, at most. */
  probes: number;
  maxSessions: number;
  /** Shared by runs that ask this server at the same time. */
  gate?: Gate;
  /** The tasks, in place of what the server lists. */
  given?: GivenRequest;
  /** The prompt of tasks that are given without one. */
  prompt?: PromptOptions;
  /** How the action of an environment without tools becomes a tool. */
  action?: ActionOptions;
  /** Whether the user bounds the model's calls, so that no word is needed about environments that never end. */
  bounded?: boolean;
  signal: AbortSignal;
}

/** What was found on a server, to be closed in the end: that ends the plays that are under way. */
export interface OpenDiscovery extends Discovery {
  /** Sessions opened and requests made so far. */
  counts(): { sessions: number; requests: number; bytes: number };
  close(): Promise<void>;
}
