import { updateEntry } from '../documents/update.js';
import { eachFolder, rootToUpdate } from '../operations/from-lock/index.js';
import * as operation from '../operations/update.js';
import { assertFilled, flagsOf } from './arguments.js';
import type { UpdateOptions } from './options.js';
import type { UpdateResult } from './results.js';
import { run } from './run.js';

/**
 * Regenerates the folders of a Gym root with the sources and options in their lock files, keeping manual edits.
 *
 * @param gymRoot - Gym root to update
 * @param options - The options of `gymgen update`, with the same defaults
 * @returns What was written, by folder: the document that `gymgen update --json` prints
 * @throws UserError if the only folder cannot be updated; with several folders, the result has the failures
 *
 * @example
 * ```ts
 * import { update } from 'gymgen';
 *
 * const { folders } = await update('gym-root', { keepPrompts: true });
 * for (const folder of folders) console.log(folder.name, folder.status);
 * ```
 */
export async function update(gymRoot: string, options: UpdateOptions = {}): Promise<UpdateResult> {
  return run(options, async (reporter, signal) => {
    assertFilled({ gymRoot });
    const root = await rootToUpdate(gymRoot, flagsOf('update', options), reporter);
    const folders: UpdateResult['folders'] = [];
    const outcomes = eachFolder(root, (request) => operation.update(request, reporter, signal));
    for await (const outcome of outcomes) folders.push(updateEntry(outcome));
    return { folders };
  });
}
