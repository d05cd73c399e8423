import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRecording } from '../../discover/index.js';
import { UserError } from '../../errors.js';
import { parseServerUrl } from '../../openenv/index.js';
import { hasGitPart, LOCK_FILE } from '../../output/index.js';
import { commandAgain, isCommandLine, shellQuote } from '../../printed-command.js';
import { codeOf } from '../../source/index.js';
import { isRemembered, rememberedRecording, type TrustedCode } from '../../state/trusted-sources.js';
import type { WrittenFolder } from '../../written/index.js';
import type { LockFlags, Recorded } from './options.js';

/** Folders that are named in one message. */
const NAMED = 20;

/** A folder with the source and options of its lock file. */
export interface LockedFolder extends WrittenFolder {
  recorded: Recorded;
  /** The recording from which this user wrote the folder, unless the command line names a source. */
  recording?: string | undefined;
}

/**
 * Headers may be secrets, so they go only to a server that the command line names.
 * @throws UserError if there are headers and no `--source`
 */
export function refuseHeaders(folders: readonly LockedFolder[], flags: LockFlags): void {
  const headers = [...(flags.header ?? []), ...(flags.headerEnv ?? [])];
  const [first] = folders;
  if (flags.source !== undefined || headers.length === 0 || first === undefined) return;
  const { source } = first.recorded;
  const named = [`--source ${urlIn(source) ?? 'SOURCE'}`, ...(folders.length > 1 ? [`--name ${first.name}`] : [])];
  throw new UserError('headers are not sent: only the lock file names the server', {
    code: 'untrusted',
    where: path.join(first.folder, LOCK_FILE),
    fix: `if you trust this server with your headers, add: ${named.join(' ')}`,
  });
}

/**
 * The contents of a tasks file are sent to the server, so a lock file may only name one below the current folder, and not in
 * `.git`.
 * @throws UserError if the real path of the file is elsewhere, or not a regular file
 */
export async function refuseTasks({ folder, recorded }: LockedFolder, flags: LockFlags): Promise<void> {
  const { tasks } = recorded.options;
  if (tasks === undefined || flags.tasks !== undefined) return;
  const refuse = (why: string) => {
    throw new UserError(`lock file names a tasks file ${why}`, {
      code: 'untrusted',
      where: path.join(folder, LOCK_FILE),
      details: [`options.tasks: ${tasks}`],
      fix: 'if you want to send this file to the server, add: --tasks FILE',
    });
  };
  const here = await realpath(process.cwd());
  // A missing file is rejected later, unless its path alone is rejected here.
  const real = await realpath(tasks).catch(() => path.resolve(here, tasks));
  const below = path.relative(here, real);
  if (below.split(path.sep)[0] === '..' || path.isAbsolute(below)) refuse('outside of the current folder');
  if (hasGitPart(below) || hasGitPart(tasks)) refuse('inside of .git');
  const found = await lstat(real).catch(() => undefined);
  if (found && !found.isFile()) refuse('that is not a regular file');
}

/**
 * The recording from which this user last wrote a folder on this machine.
 * @throws UserError if it no longer exists
 */
export async function recordingOf({ folder }: WrittenFolder, recorded: Recorded): Promise<string | undefined> {
  const recording = await rememberedRecording(folder);
  if (recording === undefined || (await isRecording(recording))) return recording;
  throw new UserError('the recording of this folder was not found', {
    where: recording,
    details: [`${folder} was written from it`],
    fix: `name another source, such as: ${commandAgain(['--source', recorded.source])}`,
  });
}

/**
 * The code that gymgen would run for each folder. This user trusts it if the command line names it (`--source`,
 * `--run-source`), or if this user wrote the folder from it on this machine.
 * @returns by folder; undefined if no code is run for its source
 * @throws UserError with the command that runs the code
 */
export async function trustedCode(
  folders: readonly LockedFolder[],
  flags: LockFlags,
): Promise<(TrustedCode | undefined)[]> {
  const codes = await Promise.all(folders.map((folder) => codeIn(folder, flags)));
  if (flags.runSource) return codes;
  const refused: LockedFolder[] = [];
  for (const [index, folder] of folders.entries()) {
    const code = codes[index];
    const isNamed = flags.source !== undefined && code?.sandbox === undefined;
    if (code && !isNamed && !(await isRemembered(folder.folder, code))) refused.push(folder);
  }
  const [first] = refused;
  if (first === undefined) return codes;
  throw new UserError('refused to run code that only a lock file names', {
    code: 'untrusted',
    where: path.join(first.folder, LOCK_FILE),
    details: refused.slice(0, NAMED).map(described),
    fix: `if you trust this code, ${isCommandLine() ? `run: ${commandAgain(['--run-source'])}` : 'set runSource'}`,
  });
}

async function codeIn({ folder, recorded, recording }: LockedFolder, flags: LockFlags) {
  if (recording !== undefined) return undefined;
  const { source, sandbox } = recorded;
  const named = flags.source === undefined ? await codeOfLock(source, folder) : await codeOfFlag(flags.source);
  return named === undefined ? undefined : { code: named, sandbox };
}

async function codeOfLock(source: string, folder: string): Promise<string | undefined> {
  const named = sourceOf(source, folder);
  if (!(await isRecording(named))) return codeIfValid(named);
  throw new UserError('lock file names a file as its source', {
    code: 'untrusted',
    where: path.join(folder, LOCK_FILE),
    details: [`source: ${source}`],
    fix: 'if this file is a recording that you trust, add: --source FILE',
  });
}

async function codeOfFlag(source: string): Promise<string | undefined> {
  return (await isRecording(source)) ? undefined : codeIfValid(source);
}

/** An invalid source is reported when it is opened. */
function codeIfValid(source: string): Promise<string | undefined> {
  return codeOf(source).catch(() => undefined);
}

/** The source that a lock file names. A relative path is relative to the folder of the config. */
export function sourceOf(source: string, folder: string): string {
  return /^\.{1,2}(?:\/|$)/.test(source) ? path.resolve(folder, 'configs', source) : source;
}

function described({ name, recorded: { source, sandbox } }: LockedFolder): string {
  return `${name}: ${source}${sandbox === undefined ? '' : `, in the sandbox ${sandbox}`}`;
}

/** A URL of a lock file as an argument of a shell, in plain ASCII and without credentials. */
function urlIn(source: string): string | undefined {
  try {
    return shellQuote(parseServerUrl(source).http);
  } catch {
    return undefined;
  }
}
