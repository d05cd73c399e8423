import type { Discovery } from '../../discover/index.js';
import type { GymOptions } from '../../model.js';
import type { Lock } from '../../output/index.js';
import { type Finding, warning } from '../../rules/index.js';
import { droppedOptions } from './dropped-options.js';
import { howToKeep, type Rewrite } from './keep-command.js';
import { rowCountChanges } from './row-count-changes.js';

/** Warnings about what the existing folder has and the generated folder lacks. */
export async function rewriteWarnings(
  request: Rewrite,
  found: Pick<Discovery, 'splits'>,
  { name, server }: GymOptions,
  folder: string,
  lock: Lock,
): Promise<Finding[]> {
  const rows = rowCountChanges(found, name, lock);
  const isSameUrl = 'url' in server && server.url === lock.options?.configUrl;
  const dropped = droppedOptions(lock, { ...(isSameUrl ? { configUrl: server.url } : {}), ...request.record });
  if (dropped.length === 0) return rows;
  const fix = await howToKeep(request, name, folder, lock);
  return [...dropped.map(({ subject, problem }) => warning('option-dropped', subject, problem, fix)), ...rows];
}
