import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { LIMITS } from '../limits.js';

const deflate = promisify(deflateRaw);

/** Bytes of a block before it is compressed. The page unpacks a whole block to show one of its parts. */
const BLOCK = 192 * 1024;

/** The place of a part: the number of its block, and its position in it. */
export type Place = readonly [block: number, at: number];

/** Compresses a value for the page, which unpacks it with DecompressionStream. */
export async function packed(value: unknown): Promise<string> {
  return packedText(JSON.stringify(value));
}

async function packedText(json: string): Promise<string> {
  return (await deflate(json, { level: 9 })).toString('base64');
}

/** Writes values to a file as compressed blocks, so that a page can hold many and unpack few. */
export class Blocks {
  private parts: string[] = [];
  private size = 0;
  private count = 0;
  private written = 0;

  constructor(private readonly file: FileHandle) {}

  /** @returns undefined if the file has reached its limit, and the value is left out */
  async add(value: unknown): Promise<Place | undefined> {
    if (this.written > LIMITS.reportBytes) return undefined;
    const json = JSON.stringify(value);
    if (this.size + json.length > BLOCK) await this.flush();
    this.parts.push(json);
    this.size += json.length;
    return [this.count, this.parts.length - 1];
  }

  async flush(): Promise<void> {
    if (this.parts.length === 0) return;
    const base64 = await packedText(`[${this.parts.join(',')}]`);
    const text = `<script type="text/plain" id="block-${this.count}">${base64}</script>\n`;
    await this.file.writeFile(text);
    this.written += text.length;
    this.count += 1;
    this.parts = [];
    this.size = 0;
  }
}
