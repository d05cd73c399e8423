import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { abortable } from './abortable.js';
import { Digest } from './digest.js';
import { explain, explained } from './explain.js';
import { hashText } from './hash-text.js';
import type { Generated, OutputFile, RowsFile } from './types.js';

/** Bytes that may wait for the disk before the source is asked for more. */
const BUFFER = 1 << 20;

/** Writes one file to `to`, or nowhere where that is `undefined`, and tells what went by. Holds no more than a buffer. */
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
  else if ('copy' in file) yield* createReadStream(file.copy);
  else {
    for await (const rows of abortable(file.rows, signal)) {
      if (rows !== '' && !rows.endsWith('\n')) throw new Error(`rows of ${file.path} come in whole lines, ended by LF`);
      yield Buffer.from(rows);
    }
  }
}

async function save(from: AsyncIterable<Buffer>, to: string): Promise<void> {
  await explained(dirname(to), () => mkdir(dirname(to), { recursive: true }));
  const handle = await open(to, 'wx');
  // The handle's stream closes it, on failure too.
  await pipeline(from, handle.createWriteStream({ highWaterMark: BUFFER }));
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
function rowsDescribed({ prompts, kept }: RowsFile, full: string): Pick<Generated, 'hash' | 'prompts' | 'kept'> {
  return {
    hash: kept && kept.count > 0 ? kept.hash : full,
    ...(prompts && { prompts: String(prompts) }),
    ...(kept && { kept }),
  };
}
