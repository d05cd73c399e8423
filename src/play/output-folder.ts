import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.js';
import { errno, makeFolders, translateErrors } from '../files.js';
import { noteWritten } from '../shutdown.js';

/** The folder for the results of one run. */
export interface OutputFolder {
  /** As passed, or the default. */
  shown: string;
  /** Absolute path. */
  path: string;
  /**
   * Absolute path of the rollouts, which NeMo Gym writes. NeMo Gym puts more files with fixed names beside this file.
   */
  rollouts: string;
  /** Absolute path of the rollouts that failed, which may not exist. */
  failures: string;
  /** Absolute path of NeMo Gym's output. */
  log: string;
  /** Removes the folder, if it is empty except for the log. */
  discard(): Promise<void>;
}

/** Upper bound on the number in a default name. */
const MOST = 10_000;

/**
 * Creates a folder that no other run writes to.
 * @param named must be new or empty; by default `play-<server>`, with a number if that exists
 * @throws UserError if it contains files, or cannot be created
 */
export async function outputFolder(named: string | undefined, server: string): Promise<OutputFolder> {
  if (named === undefined) return folderAt(await newFolder(`play-${server}`));
  await translateErrors(named, () => makeFolders(resolve(named)));
  if ((await translateErrors(named, () => readdir(named))).length === 0) return folderAt(named);
  throw new UserError('output folder is not empty', {
    where: named,
    fix: 'choose another folder with -o, or empty this one',
  });
}

async function newFolder(name: string): Promise<string> {
  for (let number = 1; number <= MOST; number += 1) {
    const folder = number === 1 ? name : `${name}-${number}`;
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (errno(error) === 'EEXIST') continue;
      return translateErrors(folder, () => Promise.reject(error));
    }
  }
  throw new UserError('too many output folders', { where: dirname(resolve(name)), fix: 'pass -o DIR' });
}

function folderAt(shown: string): OutputFolder {
  const path = resolve(shown);
  const log = join(path, 'gym.log');
  const discard = async () => {
    const others = (await readdir(path).catch(() => [])).filter((name) => name !== 'gym.log');
    if (others.length > 0) return noteWritten(path);
    await rm(log, { force: true });
    await rmdir(path).catch(() => {}); // something new is in it
  };
  const [rollouts, failures] = [join(path, 'rollouts.jsonl'), join(path, 'rollouts_failures.jsonl')];
  return { shown, path, rollouts, failures, log, discard };
}
