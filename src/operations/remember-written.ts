import { isRecording } from '../discover/index.js';
import { codeOf } from '../source/index.js';
import { rememberSource } from '../state/trusted-sources.js';
import type { SourceRequest } from './open-source.js';

/**
 * Remembers the code that a folder was generated from, so that `check` and `update` run it again for this user.
 * @param folder that was written
 */
export async function rememberWritten({ source, bundle }: SourceRequest, folder: string): Promise<void> {
  if (source.includes('://') || (await isRecording(source))) return;
  const code = await codeOf(source);
  if (code !== undefined) await rememberSource(folder, { code, sandbox: bundle?.sandbox });
}
