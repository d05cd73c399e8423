import path from 'node:path';
import { withoutCredentials } from '../../credentials.js';
import { isRecording } from '../../discover/index.js';
import type { GymRequest } from '../../model.js';
import { parseServerUrl } from '../../openenv/index.js';
import type { JsonValue, Lock } from '../../output/index.js';
import { gymgenCommand, shellQuote } from '../../printed-command.js';
import { codeOf } from '../../source/index.js';
import { isRemembered, rememberedRecording } from '../../state/trusted-sources.js';
import { rootFolders } from '../../written/index.js';
import type { SourceRequest } from '../open-source.js';

/** The run that writes a folder again. */
export interface Rewrite extends SourceRequest {
  gymRoot: string;
  gym: Pick<GymRequest, 'headers'>;
  record: Record<string, JsonValue>;
}

/**
 * How to keep the options of a lock file: the `update` command that reads them, or a note to pass them again if this run has
 * other options, too.
 * @param folder that is written again
 */
export async function howToKeep(request: Rewrite, name: string, folder: string, lock: Lock): Promise<string> {
  if (hasMore(request.record, lock.options ?? {})) return 'pass it again to keep it';
  const { written } = await rootFolders(request.gymRoot);
  const only = written.length > 1 ? ` --name ${shellQuote(name)}` : '';
  const source = await sourceFlags(request, folder, lock);
  const { python } = request.bundle ?? {};
  const program = python === undefined ? '' : ` --python ${shellQuote(python)}`;
  return `keep it with: ${gymgenCommand`update ${request.gymRoot}`}${only}${source}${program}`;
}

function hasMore(passed: Record<string, JsonValue>, locked: Record<string, unknown>): boolean {
  return Object.entries(passed).some(([key, value]) => JSON.stringify(value) !== JSON.stringify(locked[key]));
}

/** The flags with which `update` reads the source of this run. */
async function sourceFlags(request: Rewrite, folder: string, lock: Lock): Promise<string> {
  const named = ` --source ${shellQuote(withoutCredentials(request.source))}`;
  const headers = headerFlags(request);
  if (headers !== '') return named + headers;
  const recording = await rememberedRecording(folder);
  if (await isRecording(request.source)) return path.resolve(request.source) === recording ? '' : named;
  const isUrl = request.source.includes('://');
  if (recording !== undefined || isUrl !== (lock.source?.includes('://') ?? false)) return named;
  if (isUrl) return parseServerUrl(request.source).http === lock.source ? '' : named;
  const code = await codeOf(request.source);
  const trusted = code === undefined || (await isRemembered(folder, { code, sandbox: lock.sandbox }));
  return trusted ? '' : ' --run-source';
}

/** The value of a header, which may be a secret, is left out. */
function headerFlags({ discover, gym }: Rewrite): string {
  const flags = Object.keys(discover.headers).map((name) => {
    const written = gym.headers[name];
    return written === undefined
      ? ` --header ${shellQuote(`${name}: …`)}`
      : ` --header-env ${shellQuote(`${name}=${written}`)}`;
  });
  return flags.join('');
}
