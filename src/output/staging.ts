import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { explained } from './explain.js';
import { syncAndClose, syncFiles, syncFoldersOf } from './sync.js';

/** Where the files of one run are written before they are put in place. */
export class Staging {
  private readonly folders = new Map<string, Promise<unknown>>();
  private readonly syncs = new Map<string, Promise<void>>();

  /**
   * @param root the folder, which is there and empty
   * @param isNew all that is written here will be put in place, so that the disk gets it while what follows is generated
   */
  constructor(
    private readonly root: string,
    private readonly isNew: boolean,
  ) {}

  /** Where a file is staged, by its path in the written folder. */
  place(path: string): string {
    return join(this.root, path);
  }

  /** @param write fills the new file, which is closed after it */
  async put(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    const place = this.place(path);
    await this.folder(dirname(place));
    const file = await open(place, 'wx');
    try {
      await write(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    if (!this.isNew) return file.close();
    const synced = explained(place, () => syncAndClose(file));
    synced.catch(() => {}); // told where it is awaited
    this.syncs.set(path, synced);
  }

  /** Waits until these files, which are all that will be put in place, outlast a power failure. */
  async sync(paths: readonly string[]): Promise<void> {
    await Promise.all(this.syncs.values());
    await syncFiles(paths.filter((path) => !this.syncs.has(path)).map((path) => this.place(path)));
    await syncFoldersOf(
      paths.map((path) => this.place(path)),
      dirname(this.root),
    );
  }

  /** Waits for what is under way, whatever becomes of it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.syncs.values());
  }

  private folder(path: string): Promise<unknown> {
    const made = this.folders.get(path) ?? explained(path, () => mkdir(path, { recursive: true }));
    this.folders.set(path, made);
    return made;
  }
}
