import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { ABSENT, errno, unless } from './errno.js';
import type { Places } from './places.js';
import { currentProcess, isRunning, ProcessOwner } from './process-owner.js';

/** Other runs can come in between only so often; past that something else is wrong. */
const TRIES = 100;

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
    if (tries === TRIES) throw new UserError("can't make this folder", { where: places.staging, fix: 'remove it' });
    await discardDead(places);
  }
  const now = () => unless(ABSENT, readFile(places.owner, 'utf8'));
  const isHeld = async () => (await now()) === mine;
  return {
    isHeld,
    async assertHeld() {
      if (!(await isHeld())) throw taken(places, parse(await now()));
    },
    async release() {
      if (await isHeld()) await rm(places.owner);
    },
  };
}

/** The process that is writing this name now, if one is. */
export async function runningOwner(places: Places): Promise<ProcessOwner | undefined> {
  const owner = parse(await readSettled(places));
  return owner && isRunning(owner) ? owner : undefined;
}

async function create(places: Places, mine: string): Promise<boolean> {
  try {
    // One by one: a recursive mkdir fails in odd ways (ENOTDIR) while another run removes the upper one.
    for (const folder of [places.gymgen, places.staging]) await unless(['EEXIST'], mkdir(folder));
    const file = await open(places.owner, 'wx');
    try {
      await file.writeFile(mine).finally(() => file.close());
    } catch (error) {
      await rm(places.owner);
      throw error;
    }
    return true;
  } catch (error) {
    // ENOENT: another run cleaned an empty folder away in between.
    if (errno(error) === 'EEXIST' || errno(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Moves a dead run's file aside; two runs at once can't both do that with the same one. */
async function discardDead(places: Places): Promise<void> {
  const seen = await readSettled(places);
  if (seen === undefined) return;
  const owner = parse(seen);
  if (owner && isRunning(owner)) throw taken(places, owner);
  const aside = `${places.owner}.${process.pid}`;
  const renamed = rename(places.owner, aside).then(() => true);
  if (!(await unless(ABSENT, renamed))) return;
  // Another run may have been quicker: it takes away what it finds here, and where this is its file, it gets that back.
  const moved = await unless(ABSENT, readFile(aside, 'utf8'));
  if (moved === seen) await rm(aside, { force: true });
  else if (moved !== undefined) await unless(ABSENT, rename(aside, places.owner));
}

/** The file's text; waits a moment where its owner has created it and not yet filled it. */
async function readSettled(places: Places): Promise<string | undefined> {
  for (let tries = 0; ; tries += 1) {
    const text = await unless(ABSENT, readFile(places.owner, 'utf8'));
    if (text !== '' || tries === 20) return text;
    await sleep(25);
  }
}

function parse(text: string | undefined): ProcessOwner | undefined {
  try {
    return ProcessOwner.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

function taken(places: Places, owner: ProcessOwner | undefined): Taken {
  const who = owner ? `process ${owner.pid}` : 'another process';
  return new Taken(`another run is writing this folder: ${who}`, {
    where: places.folder,
    fix: `wait until it is done; if that process is no gymgen, remove ${places.owner}`,
  });
}
