/** Exit codes: 0 done, 1 problems found, 2 the command failed, 128 + n ended by signal n. */
export const EXIT = { done: 0, problems: 1, failed: 2, hungUp: 129, interrupted: 130, terminated: 143 } as const;

/** Signals that stop a run, each with its message and exit code. */
const SIGNALS = {
  SIGHUP: { what: 'terminal closed', exitCode: EXIT.hungUp },
  SIGINT: { what: 'interrupted', exitCode: EXIT.interrupted },
  SIGTERM: { what: 'terminated', exitCode: EXIT.terminated },
} as const;

export type StopSignal = keyof typeof SIGNALS;
export const STOP_SIGNALS = Object.keys(SIGNALS) as StopSignal[];

/** The kinds of errors, for programs. */
export const ERROR_CODES = {
  usage: 'an argument or option is missing or invalid, or cannot be combined with another one',
  unreachable: 'the server cannot be reached',
  rejected: 'NeMo Gym would reject what would be generated',
  warnings: 'there were warnings, and `strict` is set',
  edited: 'files or prompts were edited by hand',
  locked: 'another run is writing the same folder',
  untrusted: 'a lock file names code, files or servers that the caller must name, too',
  limit: 'input exceeds a limit (docs/limits.md)',
  interrupted: 'a signal ended the run',
  failed: 'any other failure',
} as const;

/** The kind of an error, for programs. */
export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorParts {
  /** Default: `failed`. */
  code?: ErrorCode;
  /** Place of the problem: a file, a URL or a task. */
  where?: string;
  /** What the user can do about it. */
  fix?: string;
  /** Further lines, such as each invalid value. */
  details?: readonly string[];
  cause?: unknown;
}

/**
 * A failure that a user can cause or fix. The error says what failed (`message`), where, and how to fix the problem.
 * Any other error is a bug.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  /** The kind of error, for programs. */
  readonly code: ErrorCode;
  /** The exit code of the command line after this error. */
  readonly exitCode: number = EXIT.failed;
  /** Place of the problem: a file, a URL or a task. The command line shows it after `at:`. */
  readonly where: string | undefined;
  /** What to do about it. */
  readonly fix: string | undefined;
  /** Further lines, such as each invalid value. */
  readonly details: readonly string[];

  /** @internal */
  constructor(what: string, parts: ErrorParts = {}) {
    super(what, { cause: parts.cause });
    this.code = parts.code ?? 'failed';
    this.where = parts.where;
    this.fix = parts.fix;
    this.details = parts.details ?? [];
  }

  /**
   * The same error with another place.
   * @internal
   */
  at(where: string): UserError {
    return this.with({ where });
  }

  /**
   * The same error with other parts.
   * @internal
   */
  with(parts: ErrorParts): UserError {
    const { message, code, where, details, fix, cause } = this;
    const own = {
      code,
      details,
      cause,
      ...(where === undefined ? {} : { where }),
      ...(fix === undefined ? {} : { fix }),
    };
    return new UserError(message, { ...own, ...parts });
  }
}

/** An argument or option is missing or invalid, or cannot be combined with another one. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
  override readonly code = 'usage';
}

/** Ctrl-C, SIGTERM or SIGHUP. All work in progress ends with this error; its exit code depends on the signal. */
export class Interrupted extends UserError {
  override readonly name = 'Interrupted';
  override readonly code = 'interrupted';
  override readonly exitCode: number;

  constructor(
    readonly signal: StopSignal,
    more = '',
    parts: ErrorParts = {},
  ) {
    super(`${SIGNALS[signal].what}${more}`, parts);
    this.exitCode = SIGNALS[signal].exitCode;
  }

  /** The same interruption, with the paths that were written before it. */
  withWritten(paths: readonly string[]): Interrupted {
    if (paths.length === 0) return new Interrupted(this.signal, '; nothing was written');
    return new Interrupted(this.signal, '; these paths were already written', { details: paths });
  }
}

/** What an error of the operating system means, and how to fix it, by its code (errno(3)). */
export const ERRNO_REASONS: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  EACCES: ['permission denied', 'change its permissions'],
  EBUSY: ['in use', 'close the program that uses it'],
  EDQUOT: ['disk quota exceeded', 'free some space'],
  EEXIST: ['file exists', 'move it away'],
  EFBIG: ['file too large for the limit of this shell or file system', 'raise the limit, see: ulimit -f'],
  EINVAL: ['not supported by this file system', 'choose another path'],
  EIO: ['input/output error', 'check the disk or the terminal'],
  EISDIR: ['is a folder', 'name a file'],
  ELOOP: ['symlinks form a loop', 'remove the links'],
  EMFILE: ['too many open files', 'raise the limit: ulimit -n 4096'],
  ENAMETOOLONG: ['path too long', 'use a shorter path'],
  ENFILE: ['too many open files on this machine', 'close some programs'],
  ENODEV: ['no such device', 'choose another path'],
  ENOENT: ['no such file or folder', 'create it, or choose another path'],
  ENOMEM: ['out of memory', 'close some programs'],
  ENOSPC: ['disk full', 'free some space'],
  ENOTDIR: ['not a folder', 'choose another path'],
  ENXIO: ['no such device', 'choose another path'],
  EPERM: ['operation not permitted', 'change its permissions'],
  EROFS: ['file system is read-only', 'choose another path'],
  ESTALE: ['network file system lost the file', 'mount it again'],
  ETXTBSY: ['in use', 'close the program that uses it'],
  EXDEV: ['not on the same file system', 'choose another path'],
};

/**
 * Turns an error of the operating system into a UserError that names the call, the path and the fix.
 * @returns undefined for any other error
 */
export function systemError(error: unknown): UserError | undefined {
  if (!(error instanceof Error) || error instanceof UserError) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  if (syscall === 'uv_cwd') return noCurrentFolder(error);
  const [what, fix] = ERRNO_REASONS[code] ?? [code, 'check the machine'];
  return new UserError(`${syscall} failed: ${what} (${code})`, {
    ...(path === undefined ? {} : { where: String(path) }),
    fix,
    cause: error,
  });
}

/** The error for a current folder that was deleted or cannot be read. */
export function noCurrentFolder(cause: unknown): UserError {
  return new UserError('current folder does not exist', { fix: 'change to an existing folder', cause });
}
