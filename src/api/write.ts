import { writeDocument } from '../documents/write.js';
import { requestOf } from '../operations/request.js';
import * as operation from '../operations/write.js';
import { assertFilled, flagsOf } from './arguments.js';
import type { WriteOptions } from './options.js';
import type { WriteResult } from './results.js';
import { run } from './run.js';

/**
 * Writes the resources server for a source into a Gym root, atomically. The folder and its lock file are the same as those
 * that `gymgen write` writes.
 *
 * @param source - URL of an OpenEnv server, Space (`hf:owner/name`), AgentEnv bundle, OpenEnv project or recording
 * @param gymRoot - Target Gym root (created if missing)
 * @param options - The options of `gymgen write`, with the same defaults
 * @returns What was written: the document that `gymgen write --json` prints
 * @throws UserError if the source cannot be read, if NeMo Gym would reject it, or if files were edited by hand
 *
 * @example
 * ```ts
 * import { write } from 'gymgen';
 *
 * const { status, rows } = await write('http://127.0.0.1:8000', 'gym-root', { limit: 5 });
 * console.log(status, rows);
 * ```
 *
 * @example
 * Show progress, and stop after ten minutes:
 *
 * ```ts
 * import { type Progress, write } from 'gymgen';
 *
 * const progress = (event: Progress) => {
 *   if (event.phase === 'read') console.log(`${event.from}: ${event.done} of ${event.total ?? '?'} ${event.unit}`);
 * };
 * await write('http://127.0.0.1:8000', 'gym-root', {
 *   split: ['train'],
 *   renameTool: { submit_schedule: 'submit' },
 *   signal: AbortSignal.timeout(600_000),
 *   reporter: { progress, warn: (text) => console.warn(text) },
 * });
 * ```
 */
export async function write(source: string, gymRoot: string, options: WriteOptions = {}): Promise<WriteResult> {
  return run(options, async (reporter, signal) => {
    assertFilled({ source, gymRoot });
    const request = requestOf(source, gymRoot, flagsOf('write', options));
    return writeDocument(await operation.write(request, reporter, signal), request);
  });
}
