import { UserError } from './errors.js';

/** What an error of the operating system means, and what to do about it. The codes are those of errno(3). */
const REASONS: Record<string, readonly [what: string, fix: string]> = {
  EACCES: ['permission denied', 'change its permissions'],
  EBUSY: ['in use', 'close the program that uses it'],
  EDQUOT: ['disk quota exceeded', 'free some space'],
  EEXIST: ['file exists', 'move it away'],
  EFBIG: ['file too large for the limit of this shell or file system', 'raise the limit, see: ulimit -f'],
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
};

/**
 * An error of the operating system, which is no bug, as the user's: what failed, the path and what to do.
 * @returns undefined for any other error
 */
export function systemError(error: unknown): UserError | undefined {
  if (!(error instanceof Error) || error instanceof UserError) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  if (syscall === 'uv_cwd') return noCurrentFolder(error);
  const [what, fix] = REASONS[code] ?? [code, 'check the machine'];
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
