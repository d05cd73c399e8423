import path from 'node:path';
import { UsageError, UserError } from '../../errors.js';
import { type Flags, passed } from '../../options/index.js';
import { LOCK_FILE } from '../../output/index.js';
import type { TrustedCode } from '../../state/trusted-sources.js';
import { rootFolders, type UnusableFolder } from '../../written/index.js';
import { requestOf } from '../request.js';
import type { WriteRequest } from '../write.js';
import { type LockFlags, recordedIn } from './options.js';
import { type LockedFolder, recordingOf, refuseHeaders, refuseTasks, sourceOf, trustedCode } from './trust.js';

/** The work of a command that follows the lock files of a Gym root. */
export interface LockedRoot {
  requests: WriteRequest[];
  /** Folders that gymgen seems to have written, but whose requests are unknown. */
  unusable: UnusableFolder[];
}

/**
 * The requests that wrote the folders of a Gym root, from their lock files. These may come with someone else's repository;
 * docs/lock.md lists what they may decide.
 * @throws UserError if there are no such folders, or if a lock file contains something that only the command line may
 * decide
 */
export async function lockedRequests(gymRoot: string, flags: LockFlags): Promise<LockedRoot> {
  const found = await rootFolders(gymRoot);
  const isChosen = ({ name }: { name: string }) => flags.name === undefined || name === flags.name;
  const [chosen, unusable] = [found.written.filter(isChosen), found.unusable.filter(isChosen)];
  const names = found.written.map(({ name }) => name).join(', ');
  if (chosen.length === 0 && unusable.length === 0) {
    throw new UsageError(`gymgen wrote no folder '${flags.name}' in this Gym root`, {
      fix: `pass --name with one of: ${names}`,
    });
  }
  if (flags.source !== undefined && chosen.length > 1) {
    throw new UsageError('--source applies to one folder, but there are several', {
      fix: `pass --name with one of: ${names}`,
    });
  }
  const folders: LockedFolder[] = [];
  for (const folder of chosen) {
    const recorded = recordedIn(folder);
    const recording = flags.source === undefined ? await recordingOf(folder, recorded) : undefined;
    folders.push({ ...folder, recorded, recording });
  }
  refuseHeaders(folders, flags);
  for (const folder of folders) await refuseTasks(folder, flags);
  const codes = await trustedCode(folders, flags);
  const requests = folders.map((folder, index) => lockedRequest(gymRoot, folder, codes[index], flags));
  return { requests, unusable };
}

function lockedRequest(
  gymRoot: string,
  { name, folder, recorded, recording }: LockedFolder,
  code: TrustedCode | undefined,
  flags: LockFlags,
): WriteRequest {
  const { source, options } = recorded;
  const named = flags.source ?? recording;
  // Of the environment's variables, only those that the command line names are read.
  const { headerEnv = [], ...rest } = options;
  const { header, headerEnv: sent, tasks, python, maxSessions, strict, trustRecording = false } = flags;
  const bundle: Flags = {
    ...(code?.sandbox === undefined ? {} : { sandbox: code.sandbox }),
    // The lock file has an absolute path after --absolute, or if there is no relative one.
    ...(code && named === undefined && path.isAbsolute(source) ? { absolute: true } : {}),
  };
  const request = withWhere(path.join(folder, LOCK_FILE), () =>
    requestOf(named ?? sourceOf(source, folder), gymRoot, {
      ...rest,
      ...bundle,
      ...passed({ header, headerEnv: sent, tasks, python, maxSessions, strict }),
      trustRecording, // never from the lock file
    }),
  );
  return {
    ...request,
    name,
    ...(source.includes('://') && named !== undefined ? { configUrl: source } : {}),
    ...(recording === undefined ? {} : { isRemembered: true }),
    gym: { ...request.gym, headers: Object.fromEntries(headerEnv.map(nameAndValue)) },
    keepSettings: true,
    record: options as WriteRequest['record'],
  };
}

/** Names the lock file in the errors of a step. */
function withWhere<T>(where: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof UserError ? error.at(where) : error;
  }
}

function nameAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
