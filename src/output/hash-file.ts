import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Digest } from './digest.js';
import { hashText } from './hash-text.js';

const CHUNK = 1 << 20;

/** The hash of a file on disk, read as a stream unless lines of it are settings, which only small files have. */
export async function hashFile(path: string, settings?: RegExp): Promise<string> {
  if (settings) return hashText(await readFile(path, 'utf8'), settings);
  const digest = new Digest();
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) digest.update(chunk as Buffer);
  return digest.end();
}
