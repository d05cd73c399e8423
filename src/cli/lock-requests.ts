import path from 'node:path';
import { UserError } from '../errors.js';
import type { WriteRequest } from '../operations/write.js';
import { LOCK_FILE } from '../output/index.js';
import type { TrustedCode } from '../state/trusted-sources.js';
import { writtenFolders } from '../written/index.js';
import { recordedIn } from './lock-options.js';
import { type LockedFolder, refuseHeaders, refuseTasks, sourceOf, trustedCode } from './lock-trust.js';
import type { WriteFlags } from './write-options.js';
import { writeRequest } from './write-request.js';

/** Flags that go with what a lock file says. */
export interface LockFlags
  extends Pick<WriteFlags, 'header' | 'headerEnv' | 'tasks' | 'python' | 'maxSessions' | 'trustRecording' | 'strict'> {
  /** The one folder that is meant. */
  name?: string;
  /** Asked in place of the source that the lock file names. */
  source?: string;
  /** Run the bundle or project that the lock file names. */
  runSource?: boolean;
}

/**
 * The requests that wrote the folders of a Gym root, from their lock files. These come with a repository, perhaps someone
 * else's: what they may decide is in docs/lock.md.
 * @throws UserError if there are no such folders, or a lock file asks for what only the command line may
 */
export async function lockRequests(gymRoot: string, flags: LockFlags): Promise<WriteRequest[]> {
  const found = await writtenFolders(gymRoot);
  const chosen = flags.name === undefined ? found : found.filter(({ name }) => name === flags.name);
  const names = found.map(({ name }) => name).join(', ');
  if (chosen.length === 0) throw new UserError(`gymgen wrote no '${flags.name}' here`, { fix: `there is: ${names}` });
  if (flags.source !== undefined && chosen.length > 1) {
    throw new UserError('--source is of one folder, and there are several', { fix: `add --name with one of ${names}` });
  }
  const folders = chosen.map((folder) => ({ ...folder, recorded: recordedIn(folder) }));
  refuseHeaders(folders, flags);
  for (const folder of folders) await refuseTasks(folder, flags);
  const codes = await trustedCode(folders, flags);
  return folders.map((folder, index) => lockRequest(gymRoot, folder, codes[index], flags));
}

function lockRequest(
  gymRoot: string,
  { name, folder, recorded }: LockedFolder,
  code: TrustedCode | undefined,
  flags: LockFlags,
): WriteRequest {
  const { source, options } = recorded;
  // Of the environment's variables, only those that the command line names are read.
  const { headerEnv = [], ...rest } = options;
  const { header, headerEnv: sent, tasks, python, maxSessions, strict, trustRecording = false } = flags;
  const given = Object.fromEntries(
    Object.entries({ header, headerEnv: sent, tasks, python, maxSessions, strict }).filter(isSet),
  );
  const bundle = {
    ...(code?.sandbox === undefined ? {} : { sandbox: code.sandbox }),
    // A lock file has an absolute path after --absolute, or where there is no relative one.
    ...(code && flags.source === undefined && path.isAbsolute(source) ? { absolute: true } : {}),
  };
  const request = explained(path.join(folder, LOCK_FILE), () =>
    writeRequest(flags.source ?? sourceOf(source, folder), gymRoot, {
      ...rest,
      ...bundle,
      ...given,
      trustRecording, // the command line's only
    }),
  );
  return {
    ...request,
    name,
    ...(source.includes('://') && flags.source !== undefined ? { configUrl: source } : {}),
    gym: { ...request.gym, headers: Object.fromEntries(headerEnv.map(nameAndValue)) },
    record: options as WriteRequest['record'],
  };
}

/** Runs a step on what a lock file says, and names the file in what is wrong with it. */
function explained<T>(where: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message, details, fix, cause } = error;
    throw new UserError(message, { where, details, cause, ...(fix === undefined ? {} : { fix }) });
  }
}

function nameAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function isSet([, value]: [string, unknown]): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
