import { dirname, join } from 'node:path';

export const LOCK_FILE = 'gymgen.lock.json';
export const LOCK_FORMAT = 1;

/** Where one run reads and writes; all below the Gym root, relative where the user gave it so. */
export interface Places {
  root: string;
  name: string;
  /** The resources server that is written. */
  folder: string;
  /** Holds the staging folders of all runs on this root. */
  gymgen: string;
  /** This run's own, on the file system of the target, or renames would not be atomic. */
  staging: string;
  /** The staged files, by their path in the folder. */
  files: string;
  /** Exists from the moment that the commit must be finished to the moment that it is. */
  journal: string;
  /** The journal until it is complete. */
  draft: string;
  /** Names the process that owns the staging folder. */
  owner: string;
  /** Held by the process that discards the `owner` of a dead one. */
  permit: string;
}

/** Whether it can name a resources server; `rules/` says more on what Gym takes. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name);
}

/** @throws Error where `name` is none, which is a bug by now */
export function placesOf(gymRoot: string, name: string): Places {
  if (!isName(name)) throw new Error(`not the name of a folder: ${JSON.stringify(name)}`);
  const gymgen = join(gymRoot, '.gymgen');
  const root = dirname(gymgen);
  const staging = join(gymgen, name);
  return {
    root,
    name,
    folder: join(root, 'resources_servers', name),
    gymgen,
    staging,
    files: join(staging, 'files'),
    journal: join(staging, 'journal.json'),
    draft: join(staging, 'journal.json.new'),
    owner: join(staging, 'owner.json'),
    permit: join(staging, 'owner.json.discard'),
  };
}
