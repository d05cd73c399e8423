import { createHmac, timingSafeEqual } from 'node:crypto';
import { open, realpath, rename } from 'node:fs/promises';
import * as z from 'zod';
import { UserError } from '../errors.js';
import { ABSENT, unless } from '../files.js';
import { LIMITS } from '../limits.js';
import { knownKey, userKey } from '../state/user-state.js';
import type { Places } from './places.js';
import { readRootFile } from './root-file.js';
import { isSafePath } from './safe-path.js';
import { syncAndClose, syncFoldersOf } from './sync.js';

/** What a commit does to the folder: paths to write, in order, and to delete. */
export interface Changes {
  writes: string[];
  deletes: string[];
}

const Path = z.string().refine(isSafePath);
const Commit = z.object({
  format: z.literal(2),
  /** In order, each with the hash of its staged file. */
  writes: z.array(z.object({ path: Path, hash: z.string() })),
  deletes: z.array(Path),
});

/** The changes of one commit, with what is needed to check them before they are made. */
export type Commit = Omit<z.infer<typeof Commit>, 'format'>;

/*
 * The journal decides which files are moved and deleted, and it may have come with a repository. So it carries a MAC with a key
 * that only this user on this machine has, over its exact bytes, the Gym root and the name: nothing of it is parsed before that
 * is checked. It is JSON: {"mac":"<64 hex digits>","commit":{…}}.
 */
const HEAD = '{"mac":"';
const MIDDLE = '","commit":';
const TAIL = '}';

/**
 * Writes the journal. Once that is done, the commit will be completed, by this process or by a later one.
 * @returns whether a later process can complete it; only this one can if the user's state folder cannot be used
 */
export async function writeJournal(places: Places, commit: Commit): Promise<boolean> {
  const body = Buffer.from(JSON.stringify({ format: 2, ...commit }));
  const key = await userKey();
  const mac = key ? (await macOf(places, body, key)).toString('hex') : '';
  const draft = await open(places.draft, 'wx');
  const written = draft.writeFile(Buffer.concat([Buffer.from(HEAD + mac + MIDDLE), body, Buffer.from(TAIL)]));
  await written.catch(async (error) => {
    await draft.close();
    throw error;
  });
  await syncAndClose(draft);
  await rename(places.draft, places.journal);
  await syncFoldersOf([places.journal], places.root);
  return key !== undefined;
}

/**
 * The commit that an earlier process began.
 * @returns undefined if there is none
 * @throws UserError if this user on this machine did not begin it, for this root and name
 */
export async function readJournal(places: Places): Promise<Commit | undefined> {
  const text = await unless(ABSENT, readRootFile(places.journal, LIMITS.journalBytes));
  if (text === undefined) return undefined;
  const body = typeof text === 'string' ? undefined : await verified(places, text);
  const fix = `remove ${places.staging}, then write the folder again with --force`;
  if (!body) {
    throw new UserError('an interrupted write was not begun by this user on this machine', {
      where: places.journal,
      fix,
    });
  }
  const commit = Commit.safeParse(JSON.parse(body.toString()));
  if (commit.success) return commit.data;
  throw new UserError('a newer gymgen began an interrupted write', {
    where: places.journal,
    fix: `update gymgen; or ${fix}`,
  });
}

/** The journal's text without its MAC, if that is right. */
async function verified(places: Places, text: Buffer): Promise<Buffer | undefined> {
  const key = await knownKey();
  const start = HEAD.length + 64 + MIDDLE.length;
  const body = text.subarray(start, -TAIL.length);
  const mac = Buffer.from(text.toString('latin1', HEAD.length, HEAD.length + 64), 'hex');
  if (!key || mac.length !== 32) return undefined;
  return timingSafeEqual(mac, await macOf(places, body, key)) ? body : undefined;
}

async function macOf({ root, name }: Places, body: Buffer, key: Buffer): Promise<Buffer> {
  const subject = JSON.stringify(['gymgen journal', await realpath(root), name]);
  return createHmac('sha256', key).update(`${subject}\n`).update(body).digest();
}
