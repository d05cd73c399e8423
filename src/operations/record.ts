import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isRecording, openRecording, recordingText, type Split } from '../discover/index.js';
import { UserError } from '../errors.js';
import { translateErrors } from '../files.js';
import { targetFile, withDraft } from '../output/index.js';
import type { Reporter } from '../reporter.js';
import { configUrl, Findings } from '../rules/index.js';
import { openSource, type SourceRequest } from './open-source.js';

export interface RecordReport {
  file: string;
  envName: string;
  splits: Split[];
  toolsets: number;
}

/**
 * Records a source to a file that can be used in its place, compressed if its name ends in `.gz`. The file is written
 * atomically. If it is a symlink, the file that it leads to is written.
 * @throws UserError if the source cannot be read, or if something other than a recording exists at the path of the file
 */
export async function record(
  request: SourceRequest,
  file: string,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<RecordReport> {
  const target = await translateErrors(file, () => targetFile(file, 'shop.jsonl'));
  await assertReplaceable(target, reporter, signal);
  const { found, server, close } = await openSource(request, reporter, signal);
  try {
    const config = await server(path.dirname(target));
    if ('url' in config) refuseUrl(config.url);
    const text = Readable.from(recordingText(found, config, request.discover.probes), { objectMode: false });
    await withDraft(target, async (draft) => {
      const to = createWriteStream(draft, { flags: 'wx' });
      const written = file.endsWith('.gz')
        ? pipeline(text, createGzip(), to, { signal })
        : pipeline(text, to, { signal });
      await translateErrors(file, () => written);
    });
    const { toolsets } = await found.finish();
    return { file, envName: found.envName, splits: found.splits, toolsets: toolsets.length };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await close();
  }
}

/** @throws UserError if the URL contains something that must not be recorded, such as a token */
function refuseUrl(url: string): void {
  const findings = new Findings();
  findings.add(configUrl(url));
  findings.throwIfAny('invalid URL for a recording; nothing was recorded');
}

async function assertReplaceable(file: string, reporter: Reporter, signal: AbortSignal): Promise<void> {
  if (!(await isRecording(file))) return;
  const options = { splits: [], limit: 1, signal };
  const recording = await openRecording(file, options, reporter).catch((cause: unknown) => {
    throw new UserError('file exists and is not a gymgen recording', {
      where: file,
      fix: 'choose another name',
      cause,
    });
  });
  await recording.close();
}
