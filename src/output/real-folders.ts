import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ABSENT, unless } from './errno.js';

/** Tells of paths in a folder whether they are below a symlink. Looks at each folder once. */
export class RealFolders {
  private readonly known = new Map<string, Promise<boolean>>();

  constructor(private readonly folder: string) {}

  /**
   * Whether every folder on the way to `path` is a real folder, so that `path` is a file of this folder.
   * @param path relative, with `/` between its parts
   */
  async hold(path: string): Promise<boolean> {
    const parent = dirname(path);
    return parent === '.' || ((await this.hold(parent)) && (await this.isReal(parent)));
  }

  private isReal(path: string): Promise<boolean> {
    const known = this.known.get(path);
    if (known) return known;
    const found = unless(ABSENT, lstat(join(this.folder, path))).then((stat) => stat?.isDirectory() ?? false);
    this.known.set(path, found);
    return found;
  }
}
