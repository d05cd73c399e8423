import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isRecording, openRecording, type Reporter, recordingText, type Split } from './discover/index.js';
import { UserError } from './errors.js';
import { openSource, type SourceRequest } from './open-source.js';
import { explained } from './output/index.js';
import { cleanOnForcedExit } from './shutdown.js';

export interface RecordReport {
  file: string;
  envName: string;
  splits: Split[];
  toolsets: number;
}

/**
 * Keeps what a source serves in one file, packed where it ends in `.gz`, which stands in for the source everywhere. The file
 * is there whole, or as it was.
 * @throws UserError where the source can't be read, or the file is there and no recording
 */
export async function record(
  request: SourceRequest,
  file: string,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<RecordReport> {
  await assertReplaceable(file, reporter, signal);
  const folder = path.dirname(path.resolve(file));
  const { found, server, close } = await openSource(request, reporter, signal);
  const draft = `${file}.${process.pid}.tmp`;
  const release = cleanOnForcedExit(() => rmSync(draft, { force: true }));
  try {
    const text = Readable.from(recordingText(found, await server(folder)), { objectMode: false });
    await explained(folder, async () => {
      await mkdir(folder, { recursive: true });
      const to = createWriteStream(draft, { flags: 'wx' });
      await (file.endsWith('.gz') ? pipeline(text, createGzip(), to, { signal }) : pipeline(text, to, { signal }));
      await rename(draft, file);
    });
    return { file, envName: found.envName, splits: found.splits, toolsets: found.toolsets().length };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await rm(draft, { force: true });
    release();
    await close();
  }
}

async function assertReplaceable(file: string, reporter: Reporter, signal: AbortSignal): Promise<void> {
  if (!(await isRecording(file))) return;
  const options = { splits: [], limit: 1, signal };
  const recording = await openRecording(file, options, reporter).catch((cause: unknown) => {
    throw new UserError('the file is there, and is no recording', { where: file, fix: 'choose another name', cause });
  });
  await recording.close();
}
