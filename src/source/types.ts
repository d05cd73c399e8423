import type { ServerConfig } from '../model.js';
import type { Reporter } from '../reporter.js';

/** A source that has been opened: a running OpenEnv server. */
export interface Source {
  url: string;
  /** Headers that the server requires, such as the token of a server that gymgen started. Sent only to `url`, never written. */
  headers?: Record<string, string>;
  /**
   * The server as the written config names it. Default: `url`.
   * @param configFolder absolute path of the folder that the config will be in
   * @param current the source in the lock file of the existing folder
   */
  server?: (configFolder: string, current?: string) => Promise<ServerConfig>;
  /** The command that serves the environment for NeMo Gym, if the user has to run one. */
  serveCommand?: string;
  /** Stops what gymgen started for this source. */
  close(): Promise<void>;
}

export interface SourceContext {
  reporter: Reporter;
  signal: AbortSignal;
}

/** A source that has been recognized, but not opened. */
export interface NamedSource {
  kind: 'url' | 'space' | 'project' | 'bundle';
  open(context: SourceContext): Promise<Source>;
}
