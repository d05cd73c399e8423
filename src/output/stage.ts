import { join } from 'node:path';
import type { Generated, OutputFile, RowsFile } from '../model.js';
import { removeAll, removeEmptyFolder, removeFile, syncFiles, syncFoldersOf, writeNewFile } from './fs.js';
import { Digest, hashText } from './hash.js';
import { LinkGuard } from './link-guard.js';
import { PathGuard, type Places } from './paths.js';

const LF = 0x0a;

/**
 * Stages all generated files, one after the other.
 * @param isDryRun the files are hashed only; nothing is written
 * @returns what was generated, by path
 */
export async function stageFiles(
  places: Places,
  files: AsyncIterable<OutputFile>,
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
): Promise<Map<string, Generated>> {
  const paths = new PathGuard();
  const links = new LinkGuard(places.root);
  const generated = new Map<string, Generated>();
  for await (const file of abortable(files, signal)) {
    paths.add(file.path);
    await links.assert(join(places.folder, file.path)); // before the rows are read
    const digest = new Digest();
    const chunks = hashed(file, digest, signal);
    await (isDryRun ? readAll(chunks) : writeNewFile(stagedPath(places, file.path), chunks));
    generated.set(file.path, describe(file, digest));
  }
  return generated;
}

/** Where a file is staged, by its path in the written folder. */
export function stagedPath({ files }: Places, path: string): string {
  return join(files, path);
}

/** The content of a file, added to the digest chunk by chunk. */
async function* hashed(file: OutputFile, digest: Digest, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = 'rows' in file ? abortable(file.rows, signal) : [Buffer.from(file.content)];
  for await (const chunk of chunks) {
    if ('rows' in file && chunk.length > 0 && chunk.at(-1) !== LF)
      throw new Error(`chunk of ${file.path} is not whole lines ended by LF`);
    digest.update(chunk);
    yield chunk;
  }
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of chunks);
}

function describe(file: OutputFile, digest: Digest): Generated {
  const rows = digest.lines;
  const full = digest.end();
  if ('rows' in file) return { full, rows, ...describeRows(file, full) };
  if (!file.settings) return { full, hash: full, ...(file.isTemplate && { isTemplate: true }) };
  return { full, hash: hashText(file.settings.rest), settings: file.settings };
}

/** The hash in the lock file leaves out kept prompts, so that editing these again is not a change. */
function describeRows({ prompts, kept, seen }: RowsFile, full: string): Omit<Generated, 'full' | 'rows'> {
  return {
    hash: kept && kept.count > 0 ? kept.hash : full,
    ...(prompts && { prompts: String(prompts) }),
    ...(kept && { kept }),
    ...(seen?.same && { same: true }),
  };
}

/** The same items, but an abort ends the wait for the next one at once, even if the source does not react to it. */
async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let endWait: ((reason: unknown) => void) | undefined;
  const abort = () => endWait?.(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        endWait = reject;
        iterator.next().then(resolve, reject);
      });
      endWait = undefined;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // In a busy source, `return` takes effect only after the current step. The source's own signal ends that step.
    const ended = Promise.resolve(iterator.return?.()).catch(() => undefined);
    if (endWait === undefined) await ended;
  }
}

/** Waits until staged files outlast a power failure. */
export async function syncStaged(places: Places, paths: readonly string[]): Promise<void> {
  const staged = paths.map((path) => stagedPath(places, path));
  await syncFiles(staged);
  await syncFoldersOf(staged, places.staging);
}

/**
 * Removes everything that gymgen stages, and nothing else: the folder may have come with a repository and hold files of the
 * user. Only for the run that holds the run lock, which stays.
 */
export async function emptyStaging({ files, journalDraft, discardPermit }: Places): Promise<void> {
  await removeAll(files);
  for (const file of [journalDraft, discardPermit]) await removeFile(file);
}

/** Removes the staging folder of a run. The run lock goes last: from then on, another run may start. */
export async function removeStaging(places: Places): Promise<void> {
  await emptyStaging(places);
  await removeFile(places.owner);
  await removeEmptyFolder(places.staging);
  await removeEmptyFolder(places.gymgen);
}
