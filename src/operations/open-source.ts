import { withoutCredentials } from '../credentials.js';
import {
  type DiscoverOptions,
  discover,
  isRecording,
  type OpenDiscovery,
  openRecording,
  type Reporter,
} from '../discover/index.js';
import { UserError } from '../errors.js';
import { openRegular } from '../files.js';
import type { ServerConfig } from '../gym/index.js';
import { parseServerUrl, Unreachable } from '../openenv/index.js';
import { gymgenCommand } from '../printed-command.js';
import { type BundleOptions, resolveSource } from '../source/index.js';
import { recordedServer } from './recorded-server.js';

/** What is to be asked for its tasks, and how. */
export interface SourceRequest {
  /** An OpenEnv server's URL in any form that people have, a Space, a bundle, a project; or the path of a recording. */
  source: string;
  /** The server's URL for the config, if it is not the one that follows from `source`. */
  configUrl?: string;
  bundle?: BundleOptions;
  /** Let a recording name a bundle outside its git repository, and another version of AgentEnv than gymgen's. */
  trustRecording?: boolean;
  discover: Omit<DiscoverOptions, 'signal'>;
}

export interface OpenSource {
  found: OpenDiscovery;
  /** Whether the source is a recording, which is not trusted. */
  recorded: boolean;
  /**
   * What the config says of where the tasks are.
   * @param configFolder absolute path of the folder that the config will be in
   */
  server(configFolder: string): Promise<ServerConfig>;
  /** The command that serves the tasks for NeMo Gym, where that is somebody's to do and gymgen has one. */
  serve?: string;
  close(): Promise<void>;
}

/** What recordings are called, so that one which isn't there is not taken for the name of a bundle. */
const RECORDING = /\.jsonl(?:\.gz)?$/;

/**
 * Whatever the user names as the source, as what it serves.
 * @throws UserError where it can't be reached or read
 */
export async function openSource(request: SourceRequest, reporter: Reporter, signal: AbortSignal): Promise<OpenSource> {
  const { source: named, configUrl, discover: options } = request;
  if (await isRecording(named)) {
    const found = await openRecording(named, { ...options, signal }, reporter);
    const server = async (configFolder: string) =>
      configUrl === undefined
        ? recordedServer(named, found.server, configFolder, request, reporter)
        : { url: configUrl };
    return { found, recorded: true, server, close: () => found.close() };
  }
  if (RECORDING.test(named) && !named.includes('://')) {
    await assertNotSpecial(named);
    throw new UserError(`there is no recording ${withoutCredentials(named)}`, {
      fix: `make it: ${gymgenCommand`record <source> ${withoutCredentials(named)}`}`,
    });
  }
  const source = await (await resolveSource(named, request.bundle)).open({ reporter, signal });
  try {
    const headers = { ...options.headers, ...source.headers };
    const found = await discover(source.url, { ...options, headers, signal }, reporter).catch((error: unknown) => {
      throw named === configUrl && error instanceof Unreachable ? unreachableHere(error) : error;
    });
    const server = async (configFolder: string) =>
      configUrl !== undefined
        ? { url: configUrl }
        : ((await source.server?.(configFolder)) ?? { url: parseServerUrl(source.url).http });
    const close = async () => {
      await found.close();
      await source.close();
    };
    // What is at another URL is served there by other means.
    const serve = configUrl === undefined ? source.serve : undefined;
    return { found, recorded: false, server, ...(serve === undefined ? {} : { serve }), close };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** @throws UserError if there is something of this name that is not a regular file */
async function assertNotSpecial(named: string): Promise<void> {
  const file = await openRegular(named).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
  });
  await file?.close();
}

/** What a lock file names is where NeMo Gym reaches the server, which may be another network's name for it. */
function unreachableHere({ message, where, cause }: Unreachable): Unreachable {
  return new Unreachable(message, {
    ...(where === undefined ? {} : { where }),
    fix: 'pass a URL that this machine can reach: --source URL (this one is from --config-url)',
    cause,
  });
}
