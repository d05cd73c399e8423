import { recordDocument } from '../documents/record.js';
import * as operation from '../operations/record.js';
import { requestOf } from '../operations/request.js';
import { assertFilled, flagsOf } from './arguments.js';
import type { RecordOptions } from './options.js';
import type { RecordResult } from './results.js';
import { run } from './run.js';

/**
 * Records a source to a file that can be used in its place, atomically.
 *
 * @param source - Source as in {@link write}
 * @param file - Target file, such as `shop.jsonl`, or `shop.jsonl.gz` to compress it
 * @param options - The options of `gymgen record`, with the same defaults
 * @returns What was recorded: the document that `gymgen record --json` prints
 * @throws UserError if the source cannot be read, or if the file exists and is not a recording
 *
 * @example
 * ```ts
 * import { record, write } from 'gymgen';
 *
 * await record('http://127.0.0.1:8000', 'shop.jsonl.gz');
 * await write('shop.jsonl.gz', 'gym-root');
 * ```
 */
export async function record(source: string, file: string, options: RecordOptions = {}): Promise<RecordResult> {
  return run(options, async (reporter, signal) => {
    assertFilled({ source, file });
    const request = requestOf(source, '.', flagsOf('record', options));
    return recordDocument(await operation.record(request, file, reporter, signal));
  });
}
