import { UsageError } from '../../errors.js';
import { type Flags, flagOf, isGenerateOption, type OptionName, optionsOf, passed } from '../../options/index.js';
import { assertFinished, type Edits } from '../../output/index.js';
import { gymgenCommand } from '../../printed-command.js';
import type { Reporter } from '../../reporter.js';
import { prepareRoot } from '../write.js';
import { type LockedRoot, lockedRequests } from './requests.js';

export { eachFolder, type FolderOutcome } from './each-folder.js';
export type { LockFlags } from './options.js';
export { type LockedRoot, lockedRequests } from './requests.js';

/**
 * The folders of a Gym root to compare, with the source and options in their lock files.
 * @throws UserError if an option is passed that the lock file sets, or if an interrupted write must be completed first
 */
export async function rootToCheck(gymRoot: string, flags: Flags): Promise<LockedRoot> {
  refuseRecorded(flags);
  await assertFinished(gymRoot); // before the lock file is read, which a commit writes last
  return lockedRequests(gymRoot, flags);
}

/** @throws UserError if an option is passed that the lock file sets */
function refuseRecorded(flags: Flags): void {
  const accepted = optionsOf('update').map(({ name }) => name);
  const names = Object.keys(passed(flags)) as OptionName[];
  const refused = names.filter((name) => isGenerateOption(name) && !accepted.includes(name));
  if (refused.length === 0) return;
  throw new UsageError(`the lock file sets these options: ${refused.map(flagOf).join(', ')}`, {
    fix: `leave them out, or name the source: ${gymgenCommand`check <source> <gym-root> [options]`}`,
  });
}

/**
 * The folders of a Gym root to update. An interrupted write is completed first.
 * @throws UserError if a lock file contains something that only the command line may decide
 */
export async function rootToUpdate(gymRoot: string, flags: Flags, reporter: Reporter): Promise<LockedRoot> {
  const { force = false, keepPrompts = false, dryRun = false } = flags;
  await prepareRoot({ gymRoot, dryRun }, reporter); // before the lock files are read, which a commit writes last
  const { requests, unusable } = await lockedRequests(gymRoot, flags);
  const how = { edits: editsOf(flags), dryRun, keepPrompts, dropPrompts: force };
  return { requests: requests.map((request) => ({ ...request, ...how })), unusable };
}

/** What `update` does with files that were edited by hand. */
function editsOf({ force, theirs }: Pick<Flags, 'force' | 'theirs'>): Edits {
  return force ? 'ours' : theirs ? 'theirs' : 'keep';
}
