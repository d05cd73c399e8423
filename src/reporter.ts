/**
 * What a run is doing now. Each event replaces the one before it. `done` counts what is finished; `total` is left out if it is
 * not known. Names of splits, servers and files are not escaped: escape them before you print them.
 */
export type Progress =
  /** Waits for the first responses of a server. */
  | { phase: 'connect'; server: string }
  /** Probes tasks for their tools: `done` of the `total` toolsets known so far. `tasks` counts the probed tasks. */
  | { phase: 'probe'; done: number; total: number; tasks: { done: number; total: number } }
  /** Reads the tasks of a split, or the rows or rollouts of a file. */
  | { phase: 'read'; from: string; unit: 'tasks' | 'rows' | 'rollouts'; done: number; total?: number }
  /** Installs a program, or the packages of a Python environment. */
  | { phase: 'install'; what: string }
  /** Starts a program, or several servers. */
  | { phase: 'start'; what: string; done?: number; total?: number }
  /** Plays rollouts. */
  | { phase: 'play'; done: number; total: number }
  /** Waits before a request is sent again. */
  | { phase: 'wait'; reason: string; seconds: number }
  /** Any other step, such as `validating gym-root`. */
  | { phase: 'step'; what: string };

/** A request that has ended. */
export interface SentRequest {
  /** Such as `GET http://127.0.0.1:8000/health`, or `WS ws://127.0.0.1:8000/ws reset`. */
  request: string;
  /** Duration. */
  milliseconds: number;
  /** Bytes of the response; undefined if none was received. */
  bytes?: number;
  /** The HTTP status, if there is one. */
  status?: number;
}

export type OnProgress = (progress: Progress) => void;
export type OnRequest = (request: SentRequest) => void;

/** Receives what a run reports to the user. */
export interface Reporter {
  /** Useful information. */
  note?(text: string): void;
  /** A problem that the user may have to act on. */
  warn(text: string): void;
  progress: OnProgress;
  request?: OnRequest;
}

/** What the setup of programs reports. */
export type SetupReporter = Pick<Reporter, 'note' | 'progress'>;
