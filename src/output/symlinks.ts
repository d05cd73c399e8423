import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, unless } from './errno.js';

/** Where a write to `path` would really go, all symlinks followed, whether or not it is there yet. */
async function destination(path: string): Promise<string> {
  const real = await unless(ABSENT, realpath(path));
  if (real !== undefined) return real;
  const parent = await destination(dirname(resolve(path)));
  const link = await unless([...ABSENT, 'EINVAL'], readlink(path));
  return link === undefined ? join(parent, basename(path)) : destination(resolve(parent, link));
}

/** @throws UserError where a symlink takes `path` out of the Gym root */
export async function assertInside(root: string, path: string): Promise<void> {
  const real = await destination(path);
  const [first] = relative(await destination(root), real).split(sep);
  if (first !== '..') return;
  throw new UserError('a symlink leads out of the Gym root', {
    where: `${path} -> ${real}`,
    fix: 'replace the link by a folder or file of its own, or choose another Gym root',
  });
}

/** @throws UserError where the folder to write is a link: what it leads to has a lock file and runs of its own */
export async function assertNoLink(path: string): Promise<void> {
  const stat = await unless(ABSENT, lstat(path));
  if (!stat?.isSymbolicLink()) return;
  throw new UserError('the folder to write is a symlink', {
    where: `${path} -> ${await readlink(path)}`,
    fix: 'remove the link, or write under another name with --name',
  });
}
