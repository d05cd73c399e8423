import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { abortable } from './abortable.js';
import { Digest } from './digest.js';
import { unless } from './errno.js';
import { explain, explained } from './explain.js';
import { hashText } from './hash-text.js';
import type { Generated, OutputFile, RowsFile } from './types.js';

/**
 * Bytes that may wait for the disk before the source is asked for more. The disk has its time while the source has its own:
 * where all of a large file waited for the sync at the end, both would come one after the other.
 */
const UNSYNCED = 32 * 2 ** 20;
const LF = 0x0a;

/** Writes one file to `to`, or nowhere where that is `undefined`, and tells what went by. Holds no more than a chunk. */
export async function stageFile(file: OutputFile, to: string | undefined, signal: AbortSignal): Promise<Generated> {
  const digest = new Digest();
  let source: { error: unknown } | undefined;

  async function* measured(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of chunks(file, signal)) {
        digest.update(chunk);
        yield chunk;
      }
    } catch (error) {
      source = { error };
      throw error;
    }
  }

  try {
    await (to === undefined ? drain(measured()) : save(measured(), to));
  } catch (error) {
    // What the source throws is for its owner to explain, even where it has the code of a disk's failure.
    throw source ? source.error : explain(error, to ?? file.path);
  }
  return described(file, digest);
}

async function* chunks(file: OutputFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  if ('content' in file) yield Buffer.from(file.content);
  else {
    for await (const rows of abortable(file.rows, signal)) {
      if (rows.length > 0 && rows.at(-1) !== LF)
        throw new Error(`rows of ${file.path} come in whole lines, ended by LF`);
      yield rows;
    }
  }
}

async function save(from: AsyncIterable<Buffer>, to: string): Promise<void> {
  const file = await create(to);
  let syncing: Promise<unknown> = Promise.resolve();
  let unsynced = 0;
  try {
    for await (const chunk of from) {
      await file.writeFile(chunk);
      unsynced += chunk.length;
      if (unsynced < UNSYNCED) continue;
      await syncing;
      syncing = file.datasync();
      syncing.catch(() => {}); // told where it is awaited
      unsynced = 0;
    }
    await syncing;
  } finally {
    await syncing.catch(() => {}).then(() => file.close());
  }
}

/** A new file, and its folders where they aren't there yet. */
async function create(path: string): Promise<FileHandle> {
  const file = await unless(['ENOENT'], open(path, 'wx'));
  if (file) return file;
  await explained(dirname(path), () => mkdir(dirname(path), { recursive: true }));
  return open(path, 'wx');
}

async function drain(from: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of from);
}

function described(file: OutputFile, digest: Digest): Generated {
  const lines = digest.lines;
  const full = digest.end();
  if ('rows' in file) return { full, rows: lines, ...rowsDescribed(file, full) };
  if (!('content' in file) || !file.settings) return { full, hash: full };
  // A flag would be lost in the lock file, and `g` or `y` would make each test depend on the last.
  if (file.settings.flags !== '') throw new Error(`settings of ${file.path}: flags are not kept`);
  return { full, hash: hashText(file.content, file.settings), settings: file.settings };
}

/** Prompts of the user's are not what the lock file goes by: changing them again is no news. */
function rowsDescribed({ prompts, kept, seen }: RowsFile, full: string): Omit<Generated, 'full' | 'rows'> {
  return {
    hash: kept && kept.count > 0 ? kept.hash : full,
    ...(prompts && { prompts: String(prompts) }),
    ...(kept && { kept }),
    ...(seen?.same && { same: true }),
  };
}
