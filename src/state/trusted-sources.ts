import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { readState, writeState } from './user-state.js';

/** Code that serves the tasks of a written folder. */
export interface TrustedCode {
  /** The real path of a bundle's or project's folder, or the name of an installed bundle. */
  code: string;
  /** The sandbox provider that its environments are deployed on. */
  sandbox?: string | undefined;
}

/**
 * Remembers, for this user on this machine, that a folder was written from code that the user named, like `direnv allow` and
 * `mise trust`. If the state folder cannot be written, nothing is remembered.
 * @param folder a written folder, `<gym-root>/resources_servers/<name>`
 */
export async function rememberSource(folder: string, trusted: TrustedCode): Promise<void> {
  await writeState(await fileOf(folder), textOf(trusted));
}

/** Whether this user wrote this folder, on this machine, from this code. */
export async function isRemembered(folder: string, trusted: TrustedCode): Promise<boolean> {
  const remembered = await readState(await fileOf(folder));
  return remembered?.toString() === textOf(trusted);
}

/** Remembers that a folder was written from a recording. @param recording absolute path */
export async function rememberRecording(folder: string, recording: string): Promise<void> {
  await writeState(await fileOf(folder), JSON.stringify({ recording }));
}

/** Remembers that a folder was written from a server, which its lock file names. */
export async function forgetRecording(folder: string): Promise<void> {
  if ((await rememberedRecording(folder)) !== undefined) await writeState(await fileOf(folder), '{}');
}

/** Absolute path of the recording from which this user last wrote this folder on this machine. */
export async function rememberedRecording(folder: string): Promise<string | undefined> {
  const remembered = await readState(await fileOf(folder));
  return remembered === undefined ? undefined : recordingIn(remembered.toString());
}

function recordingIn(text: string): string | undefined {
  try {
    const { recording } = JSON.parse(text) as { recording?: unknown };
    return typeof recording === 'string' ? recording : undefined;
  } catch {
    return undefined;
  }
}

async function fileOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex');
  return `source-${hash}.json`;
}

function textOf({ code, sandbox }: TrustedCode): string {
  return JSON.stringify({ code, ...(sandbox === undefined ? {} : { sandbox }) });
}
