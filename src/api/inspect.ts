import { inspectDocument } from '../documents/inspect.js';
import * as operation from '../operations/inspect.js';
import { requestOf } from '../operations/request.js';
import { assertFilled, flagsOf } from './arguments.js';
import type { InspectOptions } from './options.js';
import type { InspectResult } from './results.js';
import { run } from './run.js';

/**
 * Reads everything that a source serves, and checks it as for a write. Writes nothing.
 *
 * @param source - Source as in {@link write}
 * @param options - The options of `gymgen inspect`, with the same defaults
 * @returns What the source serves, and what NeMo Gym would reject: the document that `gymgen inspect --json` prints
 * @throws UserError if the source cannot be read
 *
 * @example
 * ```ts
 * import { inspect } from 'gymgen';
 *
 * const { splits, toolsets, refused } = await inspect('http://127.0.0.1:8000', { limit: 5 });
 * for (const { name, count } of splits) console.log(name, count);
 * console.log(toolsets.length, refused.length);
 * ```
 */
export async function inspect(source: string, options: InspectOptions = {}): Promise<InspectResult> {
  return run(options, async (reporter, signal) => {
    assertFilled({ source });
    const request = requestOf(source, '.', flagsOf('inspect', options));
    return inspectDocument(await operation.inspect(request, reporter, signal));
  });
}
