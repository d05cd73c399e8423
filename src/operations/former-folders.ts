import path from 'node:path';
import { namesOf } from '../gym/index.js';
import { readLock } from '../output/index.js';
import { rootFolders } from '../written/index.js';
import type { GenerateRequest } from './generate.js';

/**
 * Other folders of a Gym root that were named after the environment of the same source: it has another name now, or a server
 * at the same URL was replaced. NeMo Gym still lists them.
 * @param source of the lock file of the folder that was compared
 */
export async function formerFolders(
  { gymRoot, name: passed }: GenerateRequest,
  name: string,
  source: unknown,
): Promise<string[]> {
  if (passed !== undefined) return [];
  const folder = path.join(gymRoot, namesOf(name).folder);
  const isNamed = (await readLock(folder))?.options?.name !== undefined;
  if (isNamed) return [];
  const { written } = await rootFolders(gymRoot).catch(() => ({ written: [] }));
  return written
    .filter((other) => other.name !== name && other.lock.source === source && other.lock.options?.name === undefined)
    .map((other) => other.name);
}
