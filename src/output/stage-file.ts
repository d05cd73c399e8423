import type { FileHandle } from 'node:fs/promises';
import type { Generated, OutputFile, RowsFile, TextFile } from '../model.js';
import { abortable } from './abortable.js';
import { Digest } from './digest.js';
import { explain, explained } from './explain.js';
import { hashText } from './hash-text.js';
import type { Staging } from './staging.js';

const LF = 0x0a;
const UNSYNCED_BYTES = 32 * 2 ** 20;

/** Stages one file, or writes it nowhere, and tells what went by. Of rows it holds but a few pieces. */
export async function stageFile(file: OutputFile, to: Staging | undefined, signal: AbortSignal): Promise<Generated> {
  const digest = new Digest();
  if ('rows' in file) await stageRows(file, to, digest, signal);
  else await stageText(file, to, digest);
  return described(file, digest);
}

async function stageText({ path, content }: TextFile, to: Staging | undefined, digest: Digest): Promise<void> {
  const text = Buffer.from(content);
  digest.update(text);
  if (to) await explained(to.place(path), () => to.put(path, (file) => file.writeFile(text)));
}

async function stageRows(file: RowsFile, to: Staging | undefined, digest: Digest, signal: AbortSignal): Promise<void> {
  let source: { error: unknown } | undefined;

  async function* measured(): AsyncGenerator<Buffer> {
    try {
      for await (const rows of abortable(file.rows, signal)) {
        if (rows.length > 0 && rows.at(-1) !== LF)
          throw new Error(`rows of ${file.path} come in whole lines, ended by LF`);
        digest.update(rows);
        yield rows;
      }
    } catch (error) {
      source = { error };
      throw error;
    }
  }

  try {
    await (to === undefined ? drain(measured()) : to.put(file.path, (handle) => save(measured(), handle)));
  } catch (error) {
    // What the source throws is for its owner to explain, even where it has the code of a disk's failure.
    throw source ? source.error : explain(error, to?.place(file.path) ?? file.path);
  }
}

/** Syncs the file while more is written, so that a large one does not wait for the disk at its end. */
async function save(from: AsyncIterable<Buffer>, to: FileHandle): Promise<void> {
  let unsynced = 0;
  let synced: Promise<void> | undefined;
  for await (const chunk of from) {
    await to.writeFile(chunk);
    unsynced += chunk.length;
    if (unsynced < UNSYNCED_BYTES) continue;
    await synced;
    synced = to.datasync();
    synced.catch(() => {}); // thrown when awaited
    unsynced = 0;
  }
  await synced;
}

async function drain(from: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of from);
}

function described(file: OutputFile, digest: Digest): Generated {
  const lines = digest.lines;
  const full = digest.end();
  if ('rows' in file) return { full, rows: lines, ...rowsDescribed(file, full) };
  if (!file.settings) return { full, hash: full };
  // `g` or `y` would make each test depend on the last.
  if (file.settings.flags !== '') throw new Error(`settings of ${file.path}: flags are not supported`);
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
