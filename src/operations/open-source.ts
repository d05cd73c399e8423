import { withoutCredentials } from '../credentials.js';
import { type DiscoverOptions, discover, isRecording, type OpenDiscovery, openRecording } from '../discover/index.js';
import { UserError } from '../errors.js';
import { openRegular } from '../files.js';
import type { ServerConfig } from '../model.js';
import { parseServerUrl, Unreachable } from '../openenv/index.js';
import { gymgenCommand } from '../printed-command.js';
import type { Reporter } from '../reporter.js';
import { type BundleOptions, resolveSource } from '../source/index.js';
import { recordedServer } from './recorded-server.js';

/** The source to read, and how to read it. */
export interface SourceRequest {
  /** URL of an OpenEnv server, Space, bundle, project or recording. */
  source: string;
  /** The server's URL for the config, if it is not the one that follows from `source`. */
  configUrl?: string;
  bundle?: BundleOptions;
  /** Whether a recording may name a bundle outside its git repository, and another version of AgentEnv than gymgen's. */
  trustRecording?: boolean;
  /** Whether the source is the recording from which the user wrote the folder, and the command line does not name it. */
  isRemembered?: boolean;
  discover: Omit<DiscoverOptions, 'signal'>;
}

export interface OpenSource {
  found: OpenDiscovery;
  /** Whether the source is a recording, which is not trusted. */
  recorded: boolean;
  /**
   * The server or bundle for the config.
   * @param configFolder absolute path of the folder of the config
   * @param current the source in the lock file of the existing folder
   */
  server(configFolder: string, current?: string): Promise<ServerConfig>;
  /** Command that serves the tasks for NeMo Gym, if the user has to run one. */
  serve?: string;
  close(): Promise<void>;
}

/** Names of recordings, so that a missing one is not taken for the name of a bundle. */
const RECORDING = /\.jsonl(?:\.gz)?$/;

/**
 * Opens a source and discovers what it serves.
 * @throws UserError if the source cannot be reached or read
 */
export async function openSource(request: SourceRequest, reporter: Reporter, signal: AbortSignal): Promise<OpenSource> {
  const { source: named, configUrl, discover: options } = request;
  if (await isRecording(named)) {
    if (request.isRemembered) reporter.note?.(`reading ${named}, from which this folder was written`);
    const episodes = options.provided && 'episodes' in options.provided ? options.provided.episodes : Infinity;
    const limit = Math.min(options.limit, episodes);
    const found = await openRecording(named, { ...options, limit, signal }, reporter);
    const server = async (configFolder: string, current?: string) =>
      configUrl === undefined
        ? recordedServer(named, found.server, configFolder, { ...request, current }, reporter)
        : { url: configUrl };
    return { found, recorded: true, server, close: () => found.close() };
  }
  if (RECORDING.test(named) && !named.includes('://')) {
    await assertNotSpecial(named);
    throw new UserError(`recording not found: ${withoutCredentials(named)}`, {
      fix: `create it: ${gymgenCommand`record <source> ${withoutCredentials(named)}`}`,
    });
  }
  const source = await (await resolveSource(named, request.bundle)).open({ reporter, signal });
  try {
    const headers = { ...options.headers, ...source.headers };
    const found = await discover(source.url, { ...options, headers, signal }, reporter).catch((error: unknown) => {
      throw named === configUrl && error instanceof Unreachable ? unreachableHere(error) : error;
    });
    const server = async (configFolder: string, current?: string) =>
      configUrl !== undefined
        ? { url: configUrl }
        : ((await source.server?.(configFolder, current)) ?? { url: parseServerUrl(source.url).http });
    const close = async () => {
      await found.close();
      await source.close();
    };
    // The server at another URL is not started by gymgen's command.
    const serve = configUrl === undefined ? source.serveCommand : undefined;
    return { found, recorded: false, server, ...(serve === undefined ? {} : { serve }), close };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** @throws UserError if the path exists but is not a regular file */
async function assertNotSpecial(named: string): Promise<void> {
  const file = await openRegular(named).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
  });
  await file?.close();
}

/** The URL in a lock file is the one that NeMo Gym uses. It may be in another network. */
function unreachableHere({ message, where, cause }: Unreachable): Unreachable {
  return new Unreachable(message, {
    ...(where === undefined ? {} : { where }),
    fix: 'pass a URL that this machine can reach: --source URL (this one is from --config-url)',
    cause,
  });
}
