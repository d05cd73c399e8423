import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../errors.js';
import { ABSENT, unless } from './errno.js';

/** Tells of one path after another whether it is inside a Gym root. Each folder on the way is looked at once. */
export class Inside {
  private readonly known = new Map<string, Promise<Folder>>();

  constructor(private readonly root: string) {}

  /** @throws UserError where a symlink takes `path` out of the Gym root */
  async assert(path: string): Promise<void> {
    const real = await this.destination(path);
    const [first] = relative((await this.folder(this.root)).real, real).split(sep);
    if (first !== '..') return;
    throw new UserError('a symlink leads out of the Gym root', {
      where: `${path} -> ${real}`,
      fix: 'replace the link by a folder or file of its own, or choose another Gym root',
    });
  }

  /** Where a write to `path` would really go, all symlinks followed, whether or not it is there yet. */
  private async destination(path: string): Promise<string> {
    const { real, isThere } = await this.folder(dirname(resolve(path)));
    const link = isThere ? await unless([...ABSENT, 'EINVAL'], readlink(path)) : undefined;
    if (link === undefined) return join(real, basename(path));
    // Where links go round in a circle, this says so.
    return (await unless(ABSENT, realpath(path))) ?? this.destination(resolve(real, link));
  }

  private folder(path: string): Promise<Folder> {
    const known = this.known.get(path);
    if (known) return known;
    const found = this.look(path);
    this.known.set(path, found);
    return found;
  }

  private async look(path: string): Promise<Folder> {
    const real = await unless(ABSENT, realpath(path));
    return real === undefined ? { real: await this.destination(path), isThere: false } : { real, isThere: true };
  }
}

/** What a folder's path leads to. One that isn't there holds no links. */
interface Folder {
  real: string;
  isThere: boolean;
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
