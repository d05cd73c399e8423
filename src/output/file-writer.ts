import type { FileHandle } from 'node:fs/promises';
import { ByteBuilder } from '../json/byte-builder.js';

/** Bytes from which on a piece is written. While it is, the next one is put together. */
const PIECE = 256 * 1024;
/**
 * Bytes that may wait for the disk before more is written. The disk has its time while the source has its own: where all of a
 * large file waited for the sync at the end, both would come one after the other.
 */
const UNSYNCED = 32 * 2 ** 20;

/** Writes a large file in pieces. A failure is told by the next call. */
export class FileWriter {
  private next = new ByteBuilder(Buffer.allocUnsafe(2 * PIECE));
  private last = new ByteBuilder(Buffer.allocUnsafe(2 * PIECE));
  private writing: Promise<unknown> = Promise.resolve();
  private syncing: Promise<unknown> = Promise.resolve();
  private unsynced = 0;

  constructor(private readonly file: FileHandle) {}

  /** @param chunk is good until this ends */
  async put(chunk: Buffer): Promise<void> {
    this.next.add(chunk);
    if (this.next.length >= PIECE) await this.flush();
  }

  /** Waits for all that was put in. */
  async end(): Promise<void> {
    await this.flush();
    await this.writing;
    await this.syncing;
  }

  /** Once nothing is under way, so that the file can be closed; what failed has been told. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.writing, this.syncing]);
  }

  private async flush(): Promise<void> {
    await this.writing;
    [this.next, this.last] = [this.last, this.next];
    this.writing = this.write(this.last.take());
    this.writing.catch(() => {}); // told where it is awaited
  }

  private async write(piece: Buffer): Promise<void> {
    await this.file.writeFile(piece);
    this.unsynced += piece.length;
    if (this.unsynced < UNSYNCED) return;
    await this.syncing;
    this.syncing = this.file.datasync();
    this.syncing.catch(() => {}); // told where it is awaited
    this.unsynced = 0;
  }
}
