import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { openNoFollow, translateReadErrors } from '../files.js';
import { LIMITS } from '../limits.js';
import type { UserSettings } from '../model.js';

const CR = 0x0d;
const LF = 0x0a;

/** Bytes that one read asks for. */
const READ_SIZE = 256 * 1024;

/**
 * SHA-256 of a stream, with CR LF read as LF, so that a checkout with Windows line endings is not a change. Counts
 * lines.
 */
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

/** The hash of a text, or of its bytes. */
export function hashText(text: string | Buffer): string {
  const digest = new Digest();
  digest.update(typeof text === 'string' ? Buffer.from(text) : text);
  return digest.end();
}

/**
 * The hash of a file, without the settings of the user. In a file larger than the limit for a config, these count.
 * @returns undefined if nothing exists at the path, or something other than a regular file, such as a symlink
 */
export function hashFile(path: string, settings?: Pick<UserSettings, 'restOf'>): Promise<string | undefined> {
  return translateReadErrors(path, hashRegular(path, settings));
}

async function hashRegular(
  path: string,
  settings: Pick<UserSettings, 'restOf'> | undefined,
): Promise<string | undefined> {
  const file = await openNoFollow(path);
  if (!file) return undefined;
  try {
    if (settings && (await file.stat()).size <= LIMITS.configBytes) {
      return hashText(await settings.restOf(await file.readFile('utf8')));
    }
    return await hashPieces(file);
  } finally {
    await file.close();
  }
}

async function hashPieces(file: FileHandle): Promise<string> {
  const digest = new Digest();
  // One buffer for all reads: a stream would allocate one for each.
  const buffer = Buffer.allocUnsafeSlow(READ_SIZE);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return digest.end();
    digest.update(buffer.subarray(0, bytesRead));
  }
}
