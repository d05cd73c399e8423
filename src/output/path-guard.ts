import { LOCK_FILE } from './places.js';
import { folded, isSafePath } from './safe-path.js';

/** Guards against our own bugs: the paths of one run are safe, and no two of them are in each other's way. */
export class PathGuard {
  private readonly files = new Set<string>([folded(LOCK_FILE)]);
  private readonly folders = new Set<string>();

  /** @throws Error, since paths are checked by `rules/` before they come here */
  add(path: string): void {
    if (!isSafePath(path)) throw new Error(`unsafe path of a generated file: ${JSON.stringify(path)}`);
    const parts = folded(path).split('/');
    const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    const file = parts.join('/');
    if (this.files.has(file) || this.folders.has(file) || parents.some((parent) => this.files.has(parent))) {
      throw new Error(`generated file in the way of another: ${JSON.stringify(path)}`);
    }
    this.files.add(file);
    for (const parent of parents) this.folders.add(parent);
  }
}
