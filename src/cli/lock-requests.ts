import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { LOCK_FILE } from '../output/index.js';
import { type WrittenFolder, writtenFolders } from '../root/index.js';
import type { WriteRequest } from '../write.js';
import type { WriteFlags } from './write-options.js';
import { writeRequest } from './write-request.js';

/** Flags that go with what a lock file says. */
export interface LockFlags
  extends Pick<WriteFlags, 'header' | 'headerEnv' | 'tasks' | 'python' | 'maxSessions' | 'strict'> {
  /** The one folder that is meant. */
  name?: string;
  /** Asked in place of the source that the lock file names. */
  source?: string;
}

const Text = z.string().regex(/^[^@]/s, 'names a file: give the option again with gymgen write');
const Recorded = z.object({
  source: z.string().min(1),
  options: z.looseObject({
    // With an @ in front, it would be read as the name of a file.
    appendSystemPrompt: Text.exactOptional(),
    prompt: Text.exactOptional(),
    toolDoc: Text.exactOptional(),
    headerEnv: z.array(z.string()).default([]),
    tasks: z.string().exactOptional(),
  }),
});

/**
 * The requests that wrote the folders of a Gym root, from their lock files.
 * @throws UserError where there is none, or no folder of the name that is asked for
 */
export async function lockRequests(gymRoot: string, flags: LockFlags): Promise<WriteRequest[]> {
  const found = await writtenFolders(gymRoot);
  const chosen = flags.name === undefined ? found : found.filter(({ name }) => name === flags.name);
  const names = found.map(({ name }) => name).join(', ');
  if (chosen.length === 0) throw new UserError(`gymgen wrote no '${flags.name}' here`, { fix: `there is: ${names}` });
  if (flags.source !== undefined && chosen.length > 1) {
    throw new UserError('--source is of one folder, and there are several', { fix: `add --name with one of ${names}` });
  }
  return chosen.map((folder) => lockRequest(gymRoot, folder, flags));
}

/**
 * A lock file comes with a repository, perhaps someone else's: it names no file to read into a prompt, and no variable of the
 * environment to send to its server. Headers are sent where the command line gives them.
 */
function lockRequest(gymRoot: string, { name, folder, lock }: WrittenFolder, flags: LockFlags): WriteRequest {
  const where = path.join(folder, LOCK_FILE);
  const recorded = Recorded.safeParse(lock);
  if (!recorded.success) {
    throw new UserError('the lock file does not say what the folder was written from', {
      where,
      details: recorded.error.issues.map(({ path: keys, message }) => `${keys.join('.')}: ${message}`),
      fix: 'write the folder again: gymgen <source> <gym-root>',
    });
  }
  const { source, options } = recorded.data;
  const { headerEnv, ...rest } = options;
  const { header, headerEnv: sent, tasks, python, maxSessions, strict } = flags;
  if (rest.tasks !== undefined && tasks === undefined) assertBelow(rest.tasks, where);
  const given = Object.fromEntries(
    Object.entries({ header, headerEnv: sent, tasks, python, maxSessions, strict }).filter(isSet),
  );
  const request = writeRequest(flags.source ?? sourceOf(source, folder), gymRoot, { ...rest, ...given });
  return {
    ...request,
    name,
    ...(source.includes('://') && flags.source !== undefined ? { configUrl: source } : {}),
    gym: { ...request.gym, headers: Object.fromEntries(headerEnv.map(nameAndValue)) },
    record: lock.options ?? {},
  };
}

/** What a tasks file says is sent to the server. @throws UserError where it is not in the folder that gymgen is run in */
function assertBelow(tasks: string, where: string): void {
  const below = path.relative(process.cwd(), path.resolve(tasks));
  if (!below.startsWith('..') && !path.isAbsolute(below)) return;
  throw new UserError(`the lock file names a tasks file that is not below this folder: ${tasks}`, {
    where,
    fix: 'run gymgen where it is, or say that it is meant: --tasks FILE',
  });
}

/** A folder is named from the config's own, as the config does. */
function sourceOf(source: string, folder: string): string {
  return /^\.{1,2}(?:\/|$)/.test(source) ? path.join(folder, 'configs', source) : source;
}

function nameAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function isSet([, value]: [string, unknown]): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
