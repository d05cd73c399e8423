import { UserError } from '../errors.js';
import { errno } from '../files.js';

const elsewhere = 'or choose another Gym root';

const REASONS: Record<string, readonly [what: string, fix: string]> = {
  ENOSPC: ['the disk is full', `free some space there, ${elsewhere}`],
  EDQUOT: ['the disk quota is used up', `free some space there, ${elsewhere}`],
  EACCES: ['no permission to write there', `change its permissions, ${elsewhere}`],
  EPERM: ['not permitted to write there', `change its permissions, ${elsewhere}`],
  EROFS: ['the file system is read-only', `mount it writable, ${elsewhere}`],
  ENOTDIR: ['a file is in the way where a folder is needed', `move it away, ${elsewhere}`],
  EISDIR: ['a folder is in the way where a file is to be written', 'move it away'],
  EEXIST: ['something else is in the way', 'move it away'],
  ENAMETOOLONG: ['the path is too long for the file system', `use a shorter name with --name, ${elsewhere}`],
  ELOOP: ['symlinks lead in a circle', 'remove the links'],
  EFBIG: ['the file is over the size limit of this shell or file system', `raise the limit (ulimit -f), ${elsewhere}`],
  EIO: ['input/output error', `check the disk, ${elsewhere}`],
  EMFILE: ['too many open files', 'raise the limit: ulimit -n 4096'],
  ENFILE: ['too many open files on this machine', 'close some programs'],
  ENOENT: ['the file system takes no new files there', 'choose another path'],
  EINVAL: ['the file system refuses the name', 'choose another path'],
  EXDEV: ['it is on another file system than the Gym root', 'mount the Gym root as a whole'],
};

/** Turns what the file system refused at `path` into words; anything else comes back as it is. */
export function explain(error: unknown, path: string): unknown {
  const reason = REASONS[errno(error) ?? ''];
  if (!reason) return error;
  return new UserError(`can't write: ${reason[0]}`, { where: path, fix: reason[1], cause: error });
}

/** Runs one step on `path`, with its failure in words. */
export async function explained<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw explain(error, path);
  }
}
