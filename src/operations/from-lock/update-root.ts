import type { Flags } from '../../options/index.js';
import type { Edits } from '../../output/index.js';
import type { Reporter } from '../../reporter.js';
import { prepareRoot } from '../write.js';
import { type LockedRoot, lockedRequests } from './requests.js';

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
