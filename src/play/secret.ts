import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Shorter keys, such as `none` and `EMPTY`, are placeholders, and occur in other text. */
const SHORTEST = 8;
const MASK = '…';

/** The forms in which a secret occurs in texts and in JSON. */
function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST) return [];
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1)])];
}

export function withoutSecret(text: string, secret: string): string {
  return formsOf(secret).reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** Masks a secret in all files of a folder. Model servers repeat a wrong key in their errors, which NeMo Gym keeps. */
export async function maskSecret(folder: string, secret: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((each) => each.isFile())) {
    for (const form of formsOf(secret)) await maskIn(join(folder, entry.name), Buffer.from(form));
  }
}

async function maskIn(file: string, secret: Buffer): Promise<void> {
  if (!(await occursIn(file, secret))) return;
  const draft = `${file}.tmp`;
  try {
    await pipeline(Readable.from(masked(file, secret)), createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

async function occursIn(file: string, secret: Buffer): Promise<boolean> {
  for await (const part of masked(file, secret)) if (part === MASK) return true;
  return false;
}

/** The content of a file, in parts; `MASK` replaces the secret, even if the secret spans two chunks. */
async function* masked(file: string, secret: Buffer): AsyncGenerator<Buffer | typeof MASK> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let at = rest.indexOf(secret); at !== -1; at = rest.indexOf(secret)) {
      yield rest.subarray(0, at);
      yield MASK;
      rest = rest.subarray(at + secret.length);
    }
    const complete = Math.max(0, rest.length - secret.length + 1);
    yield rest.subarray(0, complete);
    rest = rest.subarray(complete);
  }
  yield rest;
}
