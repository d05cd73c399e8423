import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';
import { LIMITS } from '../limits.js';
import type { Places } from './places.js';
import { currentProcess, isRunning, ProcessOwner } from './process-owner.js';
import { readRootFile } from './root-file.js';

/** Other runs can come in between only so often; past that something else is wrong. */
const TRIES = 100;

/** In this time, a process fills the file that it has created. */
const FRESH_MS = 1000;

/** Held by the one run that may write a name: a file that only one process can create. */
export interface RunLock {
  /** @throws Taken where another run has it meanwhile, which takes someone removing it by hand */
  assertHeld(): Promise<void>;
  isHeld(): Promise<boolean>;
  /** For a run that leaves its staging folder behind, to be finished by another. */
  release(): Promise<void>;
}

/** Another run that still lives has the staging folder. */
export class Taken extends UserError {}

/** Makes the staging folder and takes it. @throws Taken where another run that still lives has it */
export async function takeRunLock(places: Places): Promise<RunLock> {
  const mine = JSON.stringify(currentProcess());
  for (let tries = 0; !(await create(places, mine)); tries += 1) {
    if (tries === TRIES)
      throw new UserError('cannot take this folder', { where: places.staging, fix: `remove ${places.staging}` });
    await discardDead(places, mine);
  }
  const isHeld = async () => (await textOf(places.owner)) === mine;
  return {
    isHeld,
    async assertHeld() {
      if (!(await isHeld())) throw taken(places, parse(await textOf(places.owner)));
    },
    async release() {
      if (await isHeld()) await rm(places.owner);
    },
  };
}

/** The process that is writing this name now, if one is. */
export async function runningOwner(places: Places): Promise<ProcessOwner | undefined> {
  const owner = parse(await readSettled(places.owner));
  return owner && isRunning(owner) ? owner : undefined;
}

async function create(places: Places, mine: string): Promise<boolean> {
  // One by one: a recursive mkdir fails in odd ways (ENOTDIR) while another run removes the upper one, and then with ENOENT.
  for (const folder of [places.gymgen, places.staging]) await unless(['EEXIST', 'ENOENT'], mkdir(folder));
  return claim(places.owner, mine);
}

/** Creates a file that only one process can; false where it is there, or where its folder was cleaned away meanwhile. */
async function claim(path: string, mine: string): Promise<boolean> {
  const file = await unless(['EEXIST', 'ENOENT'], open(path, 'wx'));
  if (!file) return false;
  try {
    await file.writeFile(mine).finally(() => file.close());
  } catch (error) {
    await rm(path);
    throw error;
  }
  return true;
}

/**
 * Removes a dead run's file. Only who holds a file of its own beside it may, and only after another look: else two that found
 * it dead could remove it one after the other, and the second one what a third has created in between.
 */
async function discardDead(places: Places, mine: string): Promise<void> {
  const seen = await readSettled(places.owner);
  if (seen === undefined) return;
  const owner = parse(seen);
  if (owner && isRunning(owner)) throw taken(places, owner);
  const { permit } = places;
  if (!(await claim(permit, mine))) return waitForPermit(permit);
  try {
    if ((await readSettled(places.owner)) === seen) await rm(places.owner, { force: true });
  } finally {
    await rm(permit, { force: true });
  }
}

/** Another run is about to discard the file, which takes a moment; one that was killed at that never ends. */
async function waitForPermit(permit: string): Promise<void> {
  const text = await readSettled(permit);
  const other = parse(text);
  if (text !== undefined && !(other && isRunning(other))) await rm(permit, { force: true });
  else await sleep(10);
}

/** The text of a file; waits a moment if its owner has just created it and not yet filled it. */
async function readSettled(path: string): Promise<string | undefined> {
  for (let tries = 0; ; tries += 1) {
    const text = await textOf(path);
    if (text !== '' || tries === 20 || !(await isFresh(path))) return text;
    await sleep(25);
  }
}

/** A checkout can bring along any number of empty files: they are not waited for. */
async function isFresh(path: string): Promise<boolean> {
  const stat = await unless(ABSENT, lstat(path));
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < FRESH_MS;
}

async function textOf(path: string): Promise<string | undefined> {
  const bytes = await unless(ABSENT, readRootFile(path, LIMITS.ownerBytes));
  return bytes?.toString(); // what is too large or not a file names no process
}

function parse(text: string | undefined): ProcessOwner | undefined {
  try {
    return ProcessOwner.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

export function taken(places: Places, owner: ProcessOwner | undefined): Taken {
  const who = owner ? `process ${owner.pid}` : 'another process';
  return new Taken(`another run is writing this folder: ${who}`, {
    where: places.folder,
    fix: `wait for it to end; if that process is not gymgen, remove ${places.owner}`,
  });
}
