import type { Progress, SentRequest } from '../reporter.js';
import type { BatchJob } from './result-parts.js';

/** How a batch runs. */
export interface BatchRunOptions {
  /** Stops the batch. The function then rejects with the signal's reason, once all sources have ended. */
  signal?: AbortSignal | undefined;
  /** Receives what happens to each source. Each method is optional. */
  reporter?: BatchReporter | undefined;
}

/** Receives what a batch reports while it runs. `source` is the name of the source, or the source as passed. */
export interface BatchReporter {
  /** The work on a source begins. */
  begun?(source: string): void;
  progress?(progress: Progress, source: string): void;
  /** Useful information. */
  note?(text: string, source: string): void;
  /** A problem that the user may have to act on. */
  warn?(text: string, source: string): void;
  request?(request: SentRequest, source: string): void;
  /** The work on a source has ended. */
  ended?(job: BatchJob, source: string): void;
}
