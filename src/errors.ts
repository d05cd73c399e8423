/** Exit codes: 0 done, 1 differs or something in a batch failed, 2 could not do it, 128 + n ended by signal n. */
export const EXIT = { done: 0, differs: 1, failed: 2, hungUp: 129, interrupted: 130, terminated: 143 } as const;

/** Signals that stop a run, with the words and the exit code of that. */
const SIGNALS = {
  SIGHUP: { what: 'terminal closed', exitCode: EXIT.hungUp },
  SIGINT: { what: 'interrupted', exitCode: EXIT.interrupted },
  SIGTERM: { what: 'terminated', exitCode: EXIT.terminated },
} as const;

export type StopSignal = keyof typeof SIGNALS;
export const STOP_SIGNALS = Object.keys(SIGNALS) as StopSignal[];

export interface ErrorParts {
  /** Where it happened: a URL, a path, a task. */
  where?: string;
  /** What the user can do about it. */
  fix?: string;
  /** One line each, where there are several things to name. */
  details?: readonly string[];
  cause?: unknown;
}

/** A failure that a user can cause or mend: what, where and how to fix it. Anything else that is thrown is a bug. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: number = EXIT.failed;
  readonly where: string | undefined;
  readonly fix: string | undefined;
  readonly details: readonly string[];

  constructor(what: string, parts: ErrorParts = {}) {
    super(what, { cause: parts.cause });
    this.where = parts.where;
    this.fix = parts.fix;
    this.details = parts.details ?? [];
  }
}

/** Ctrl-C, SIGTERM or SIGHUP: all work in progress ends with this error, and the exit code says which. */
export class Interrupted extends UserError {
  override readonly name = 'Interrupted';
  override readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(SIGNALS[signal].what);
    this.exitCode = SIGNALS[signal].exitCode;
  }
}
