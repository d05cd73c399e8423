import { createHash } from 'node:crypto';

const CR = 0x0d;
const LF = 0x0a;

/** SHA-256 of a stream with CR LF taken as LF, so that a checkout with Windows line ends is no change; counts lines. */
export class Digest {
  lines = 0;
  private readonly hash = createHash('sha256');
  private pendingCr = false;

  update(chunk: Buffer): void {
    if (chunk.length === 0) return;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) this.lines += 1;
    if (this.pendingCr && chunk[0] !== LF) this.hash.update('\r');
    this.pendingCr = chunk[chunk.length - 1] === CR;

    let from = 0;
    for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, at + 1)) {
      const last = at === chunk.length - 1;
      if (!last && chunk[at + 1] !== LF) continue;
      this.hash.update(chunk.subarray(from, at));
      from = at + 1;
    }
    this.hash.update(from === 0 ? chunk : chunk.subarray(from));
  }

  /** `sha256:` and 64 hex digits. Call once. */
  end(): string {
    if (this.pendingCr) this.hash.update('\r');
    return `sha256:${this.hash.digest('hex')}`;
  }
}
