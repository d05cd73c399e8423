import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { HttpClient, parseServerUrl, type ServerUrl, TaskApi, tlsExplained } from '../openenv/index.js';
import type { Reporter } from '../reporter.js';
import type { DiscoverOptions } from './options.js';
import { type Environment, environmentOf, listsTools, unlessMissing } from './probe/environment.js';
import { Sessions } from './probe/sessions.js';

/** A connection to a healthy server. */
export interface Connection {
  server: ServerUrl;
  http: HttpClient;
  api: TaskApi;
  sessions: Sessions;
  environment: Environment;
  /** Makes `close` wait for a probe. */
  track<T>(probe: Promise<T>): Promise<T>;
  /** Sessions opened, requests sent and bytes received so far. */
  counts(): { sessions: number; requests: number; bytes: number };
  /** Ends the probes in progress, and the connection. */
  close(): Promise<void>;
}

/** @throws UserError if the server cannot be reached, or is not an OpenEnv server */
export async function connect(url: string, options: DiscoverOptions, reporter: Reporter): Promise<Connection> {
  const server = parseServerUrl(url);
  for (const note of server.notes) reporter.warn(note);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  setMaxListeners(0, signal); // each request and session in progress listens
  const { headers } = options;
  const sent = reporter.request?.bind(reporter);
  const http = new HttpClient(server, { headers, signal, waiting: reporter.progress.bind(reporter), sent });
  const probes = new Set<Promise<unknown>>();
  const sessions = new Sessions(server, headers, options, signal, reporter);
  reporter.progress({ phase: 'connect', server: server.http });
  try {
    const environment = environmentOf(http, options.action, () =>
      sessions.use((session) => listsTools(session, options.toolTimeout)),
    );
    environment.catch(() => {}); // reported below, if the server is healthy
    await http.json('GET', '/health').catch(async (error: unknown) => {
      throw await tlsExplained(error, server.http);
    });
    const api = new TaskApi(http, server.http);
    return {
      server,
      http,
      api,
      sessions,
      environment: await environment,
      track(probe) {
        const tracked = probe.finally(() => probes.delete(tracked));
        probes.add(tracked);
        return tracked;
      },
      counts: () => ({ sessions: sessions.opened, requests: http.requests, bytes: http.bytes }),
      async close() {
        stop.abort(new UserError('the run ended'));
        await Promise.allSettled(probes);
        http.close();
      },
    };
  } catch (error) {
    stop.abort(error);
    http.close();
    throw error;
  }
}

const Metadata = z.object({ name: z.string().min(1) });

/**
 * The name of the environment, and whether the server lists tasks, which is optional.
 * @throws UserError if the server gives no name
 */
export async function readEnvironmentName(
  connection: Pick<Connection, 'api' | 'http' | 'server'>,
): Promise<{ name: string; hasTasks: boolean }> {
  const { api, http, server } = connection;
  const [name] = (await unlessMissing(api.environments())) ?? [];
  if (name !== undefined) return { name, hasTasks: ((await unlessMissing(api.splits(name))) ?? []).length > 0 };
  // Servers of openenv up to 0.3 have no Task API.
  const metadata = Metadata.safeParse((await unlessMissing(http.json('GET', '/metadata')))?.value);
  if (metadata.success) return { name: splitClassName(metadata.data.name), hasTasks: false };
  throw new UserError('the server does not name its environment', {
    where: `GET ${server.http}/metadata`,
    fix: 'check that it is an OpenEnv server',
  });
}

/** OpenEnv's default name is the class of the environment: `MazeEnvironment` becomes `Maze-Environment`. */
function splitClassName(name: string): string {
  if (!/^[A-Z]\w*Env(?:ironment)?$/.test(name)) return name;
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-');
}

/** What Docker's client, its Python package and AgentEnv report if Docker is missing or its daemon does not answer. */
const NO_DOCKER = [
  'cannot connect to the docker daemon',
  'is the docker daemon running',
  'docker.sock',
  'error while fetching server api version',
  'failed to connect to the docker api',
];
const NO_CLIENT = /no such file or directory: '?"?docker|docker(?: compose)?: (?:command )?not found/;
const NOT_READY =
  /docker (?:daemon )?(?:is )?not (?:ready|running|reachable|available|installed|found)|(?:needs|requires) docker/;

/** The fix if one of the failures was caused by a missing Docker; undefined for other failures. */
export function dockerFix(failures: readonly string[]): string | undefined {
  return failures.some(isMissingDocker) ? 'start Docker, and run gymgen again' : undefined;
}

function isMissingDocker(failure: string): boolean {
  const text = failure.toLowerCase();
  return NO_DOCKER.some((words) => text.includes(words)) || NO_CLIENT.test(text) || NOT_READY.test(text);
}
