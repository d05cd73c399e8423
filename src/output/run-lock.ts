import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { errno, translateErrors } from '../files.js';
import { LIMITS } from '../limits.js';
import { createFile, ensureFolder, look, readFileAt, removeFile } from './fs.js';
import type { Places } from './paths.js';

/** Attempts to take the lock. Other runs rarely interfere; after this many, something else is wrong. */
const MAX_ATTEMPTS = 100;

/** Age of an empty file up to which its creator may still be about to fill it. */
const FRESH_MS = 1000;

/** Held by the one run that may write a folder: a file that only one process can create. */
export interface RunLock {
  /** @throws LockHeldError if another run holds it, which happens only if someone removed the file by hand */
  assertHeld(): Promise<void>;
  isHeld(): Promise<boolean>;
  /** For a run that leaves its staging folder to another run. */
  release(): Promise<void>;
}

/** Another running process holds the lock of a folder. */
export class LockHeldError extends UserError {
  override readonly name = 'LockHeldError';
  override readonly code = 'locked';

  constructor(places: Places, owner: Owner | undefined) {
    const who = owner ? `process ${owner.pid}` : 'another process';
    super(`another run is writing this folder: ${who}`, {
      where: places.folder,
      fix: `wait for it to end; if that process is not gymgen, remove ${places.owner}`,
    });
  }
}

/** Creates the staging folder and takes its lock. @throws LockHeldError if a running process holds it */
export async function takeRunLock(places: Places): Promise<RunLock> {
  const mine = JSON.stringify(currentProcess());
  for (let attempts = 0; !(await createOwner(places, mine)); attempts += 1) {
    if (attempts === MAX_ATTEMPTS)
      throw new UserError('cannot lock this folder', { where: places.staging, fix: `remove ${places.staging}` });
    await discardDeadOwner(places, mine);
  }
  const isHeld = async () => (await textOf(places.owner)) === mine;
  return {
    isHeld,
    async assertHeld() {
      if (!(await isHeld())) throw new LockHeldError(places, parse(await textOf(places.owner)));
    },
    async release() {
      if (await isHeld()) await removeFile(places.owner);
    },
  };
}

/** The process that is writing a folder now, if there is one. */
export async function runningOwner(places: Places): Promise<Owner | undefined> {
  const owner = parse(await settledText(places.owner));
  return owner && isRunning(owner) ? owner : undefined;
}

async function createOwner(places: Places, mine: string): Promise<boolean> {
  // One by one: a recursive mkdir fails with ENOTDIR while another run removes the upper folder.
  for (const folder of [places.gymgen, places.staging]) await ensureFolder(folder);
  return claim(places.owner, mine);
}

/** Creates a file that only one process can. @returns false if it exists, or if its folder was removed meanwhile */
async function claim(path: string, mine: string): Promise<boolean> {
  const file = await createFile(path);
  if (!file) return false;
  try {
    await translateErrors(path, () => file.writeFile(mine).finally(() => file.close()));
  } catch (error) {
    await removeFile(path);
    throw error;
  }
  return true;
}

/**
 * Removes the owner file of a dead run. Only the process that holds the permit may, and only after it has read the file again.
 * Otherwise two processes could both find the owner dead, and the second could remove the file that a third has just created.
 */
async function discardDeadOwner(places: Places, mine: string): Promise<void> {
  const seen = await settledText(places.owner);
  if (seen === undefined) return;
  const owner = parse(seen);
  if (owner && isRunning(owner)) throw new LockHeldError(places, owner);
  const { discardPermit } = places;
  if (!(await claim(discardPermit, mine))) return waitForPermit(discardPermit);
  try {
    if ((await settledText(places.owner)) === seen) await removeFile(places.owner);
  } finally {
    await removeFile(discardPermit);
  }
}

/** Another run holds the permit, for a moment. If that run was killed, the permit is removed. */
async function waitForPermit(permit: string): Promise<void> {
  const text = await settledText(permit);
  const holder = parse(text);
  if (text !== undefined && !(holder && isRunning(holder))) await removeFile(permit);
  else await sleep(10);
}

/** The text of a file. Waits a moment if its owner has just created it and not yet filled it. */
async function settledText(path: string): Promise<string | undefined> {
  for (let attempts = 0; ; attempts += 1) {
    const text = await textOf(path);
    if (text !== '' || attempts === 20 || !(await isFresh(path))) return text;
    await sleep(25);
  }
}

/** A checkout may contain any number of empty files, which must not be waited for. */
async function isFresh(path: string): Promise<boolean> {
  const found = await look(path);
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) < FRESH_MS;
}

/** The text of a file. If it is too large or not a regular file, a text that names no process. */
async function textOf(path: string): Promise<string | undefined> {
  return (await readFileAt(path, LIMITS.ownerBytes))?.toString();
}

function parse(text: string | undefined): Owner | undefined {
  try {
    return Owner.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

/** A process. On Linux, its start time distinguishes it from a later process with the same pid. */
const Owner = z.object({ pid: z.int().positive(), started: z.string().optional() });
type Owner = z.infer<typeof Owner>;

function currentProcess(): Owner {
  const started = procStat(process.pid)?.started;
  return { pid: process.pid, ...(started !== undefined && { started }) };
}

function isRunning(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (errno(error) !== 'EPERM') return false;
  }
  const now = procStat(owner.pid);
  if (!now) return true;
  return now.state !== 'Z' && (owner.started === undefined || owner.started === now.started);
}

function procStat(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    // proc(5): the name in parentheses may contain anything; state is the first field after it, starttime the 20th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
