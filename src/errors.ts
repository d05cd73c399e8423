/** Exit codes: 0 done, 1 differs or something in a batch failed, 2 could not do it, 128 + n ended by signal n. */
export const EXIT = { done: 0, differs: 1, failed: 2, interrupted: 130, terminated: 143 } as const;

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

/** Ctrl-C or SIGTERM: everything that is under way ends with this, and the exit code says which. */
export class Interrupted extends UserError {
  override readonly name = 'Interrupted';
  override readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? 'interrupted' : 'terminated');
    this.exitCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  }
}
