import type { ServerConfig } from '../model.js';

/** What the user named, as a running OpenEnv server. */
export interface Source {
  url: string;
  /** Headers that its server asks for, such as the token of one that gymgen serves. Sent to `url` only, never written. */
  headers?: Record<string, string>;
  /**
   * What the config says of it, where that isn't `url`.
   * @param configFolder absolute path of the folder that the config will be in
   */
  server?: (configFolder: string) => Promise<ServerConfig>;
  /** The command that serves it for NeMo Gym, where somebody has to. */
  serve?: string;
  /** Ends what gymgen started for it. */
  close(): Promise<void>;
}

/** How what is going on is told, while a source is made ready. */
export interface SourceReporter {
  /** Something good to know. */
  note?(text: string): void;
  warn(text: string): void;
  progress(text: string): void;
}

export interface SourceContext {
  reporter: SourceReporter;
  signal: AbortSignal;
}

/** What was named, recognised but not yet started. */
export interface NamedSource {
  kind: 'url' | 'space' | 'project' | 'bundle';
  open(context: SourceContext): Promise<Source>;
}
