import { setMaxListeners } from 'node:events';
import { UserError } from '../errors.js';
import { HttpClient, parseServerUrl, type ServerUrl, TaskApi, tlsExplained } from '../openenv/index.js';
import { type Environment, environmentOf, listsTools } from './environment.js';
import type { DiscoverOptions } from './options.js';
import type { Reporter } from './reporter.js';
import { Sessions } from './sessions.js';

/** A server that answers, and what is asked of it. */
export interface Connection {
  server: ServerUrl;
  http: HttpClient;
  api: TaskApi;
  sessions: Sessions;
  environment: Environment;
  /** Ends all that is under way, which is waited for, and the connection. */
  close(): Promise<void>;
  /** Keeps `close` waiting for this. */
  watch<T>(play: Promise<T>): Promise<T>;
}

/** @throws UserError where the server can't be reached, or is no OpenEnv server */
export async function connect(url: string, options: DiscoverOptions, reporter: Reporter): Promise<Connection> {
  const server = parseServerUrl(url);
  for (const note of server.notes) reporter.warn(note);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  setMaxListeners(0, signal); // each request and session listens while it is under way
  const { headers } = options;
  const http = new HttpClient(server, { headers, signal, waiting: (text) => reporter.progress(text) });
  const plays = new Set<Promise<unknown>>();
  const sessions = new Sessions(server, headers, options, signal, reporter);
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
      watch(play) {
        const watched = play.finally(() => plays.delete(watched));
        plays.add(watched);
        return watched;
      },
      async close() {
        stop.abort(new UserError('the run ended'));
        await Promise.allSettled(plays);
        http.close();
      },
    };
  } catch (error) {
    stop.abort(error); // what else is under way
    http.close();
    throw error;
  }
}
