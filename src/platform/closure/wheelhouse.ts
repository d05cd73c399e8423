import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../errors.js';
import { translateReadErrors } from '../../files.js';
import type { Platform } from '../types.js';
import { fits, type WheelName, wheelName } from './tags.js';

/**
 * Checks that a folder has one installable wheel of each project, and nothing else.
 * @param where the folder as the user names it
 * @throws UserError that names each file with a problem
 */
export async function assertWheels(folder: string, platform: Platform, where = folder): Promise<WheelName[]> {
  const entries = await translateReadErrors(folder, readdir(folder, { withFileTypes: true }));
  if (!entries) throw new UserError('folder does not exist', { where, fix: 'pass a folder with wheels' });
  const problems: string[] = [];
  const wheels = new Map<string, WheelName>();
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const wheel = wheelName(entry.name);
    if (!entry.isFile()) problems.push(`${entry.name}: not a regular file`);
    else if (!wheel) problems.push(`${entry.name}: not a wheel`);
    else if (!fits(wheel, platform)) problems.push(`${entry.name}: not for CPython 3.13 on ${platform}`);
    else if (wheels.has(wheel.project)) {
      problems.push(`${entry.name}: the project has another wheel, ${wheels.get(wheel.project)?.file}`);
    } else wheels.set(wheel.project, wheel);
  }
  if (problems.length > 0) throw invalidFiles('a package cannot have these files as wheels', problems, where);
  if (wheels.size === 0) throw new UserError('folder has no wheels', { where, fix: 'pass a folder with wheels' });
  return [...wheels.values()];
}

/** @throws UserError that names wheels that nothing requires: the job would install them anyway */
export function assertUsed(wheels: readonly WheelName[], versions: ReadonlyMap<string, string>, where: string): void {
  const extra = wheels
    .filter(({ project }) => !versions.has(project))
    .map(({ file }) => `${file}: nothing requires it`);
  if (extra.length > 0) throw invalidFiles('the wheelhouse has wheels that the package does not need', extra, where);
}

/** Upper bound on the files that an error names. */
const LISTED = 10;

function invalidFiles(problem: string, files: readonly string[], where: string): UserError {
  const more = files.length > LISTED ? [`and ${files.length - LISTED} more`] : [];
  const fix = `remove them, or copy the right wheels to a new folder: ${path.basename(where)} is not changed`;
  return new UserError(problem, { where, details: [...files.slice(0, LISTED), ...more], fix });
}
