import { checkDocument } from '../documents/check.js';
import type { UserError } from '../errors.js';
import type { CheckReport } from '../operations/check.js';
import * as operation from '../operations/check.js';
import { eachFolder, rootToCheck } from '../operations/from-lock/index.js';
import { requestOf } from '../operations/request.js';
import { assertFilled, flagsOf } from './arguments.js';
import type { CheckOptions, CheckRootOptions } from './options.js';
import type { CheckResult } from './results.js';
import { run } from './run.js';

/**
 * Compares the folders of a Gym root with what would be generated, each with the source and the options in its lock file.
 * Writes nothing.
 *
 * @param gymRoot - Gym root to compare
 * @param options - The options of `gymgen check <gym-root>`
 * @returns Whether the folders are the same, and what differs: the document that `gymgen check --json` prints
 * @throws UserError if the only folder cannot be compared; with several folders, the result has the failures
 *
 * @example
 * ```ts
 * import { check } from 'gymgen';
 *
 * const { status, folders } = await check('gym-root');
 * for (const { name, differences } of folders) console.log(status, name, differences.length);
 * ```
 */
export async function check(gymRoot: string, options?: CheckRootOptions): Promise<CheckResult>;
/**
 * Compares one folder of a Gym root with what {@link write} would write with the same arguments. Writes nothing.
 *
 * @param source - Source as in {@link write}
 * @param gymRoot - Gym root to compare
 * @param options - The options of `gymgen check <source> <gym-root>`
 * @returns Whether the folder is the same, and what differs
 *
 * @example
 * ```ts
 * import { check } from 'gymgen';
 *
 * const { status } = await check('http://127.0.0.1:8000', 'gym-root', { limit: 5 });
 * console.log(status);
 * ```
 */
export async function check(source: string, gymRoot: string, options?: CheckOptions): Promise<CheckResult>;
export async function check(
  first: string,
  second: string | CheckRootOptions = {},
  third: CheckOptions = {},
): Promise<CheckResult> {
  const [source, gymRoot, options] = typeof second === 'string' ? [first, second, third] : [undefined, first, second];
  return run(options, async (reporter, signal) => {
    assertFilled({ ...(source !== undefined && { source }), gymRoot });
    const flags = flagsOf('check', options);
    const root =
      source === undefined
        ? await rootToCheck(gymRoot, flags)
        : { requests: [requestOf(source, gymRoot, flags)], unusable: [] };
    const reports: CheckReport[] = [];
    const failures: { name: string; error: UserError }[] = [];
    for await (const { name, report, error } of eachFolder(root, (one) => operation.check(one, reporter, signal))) {
      if (error) failures.push({ name, error });
      else reports.push(report);
    }
    return checkDocument(reports, failures);
  });
}
