import { setMaxListeners } from 'node:events';
import { systemError } from '../errors.js';
import type { Reporter } from '../reporter.js';

/** How a function runs. */
export interface RunOptions {
  /** Stops the run. The function then rejects with the signal's reason, and writes nothing more. */
  signal?: AbortSignal | undefined;
  /** Receives progress, notes and warnings during the run. Each method is optional. */
  reporter?: Partial<Reporter> | undefined;
}

/**
 * Runs the work of a function.
 * @throws UserError, also for errors of the operating system; the signal's reason if it aborts
 */
export async function run<T>(
  { signal, reporter = {} }: RunOptions,
  work: (reporter: Reporter, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // A separate signal: each request and session adds a listener, and the caller's signal keeps its own limit.
  const own = AbortSignal.any(signal ? [signal] : []);
  setMaxListeners(0, own);
  try {
    return await work(wholeReporter(reporter), own);
  } catch (error) {
    throw signal?.aborted ? signal.reason : (systemError(error) ?? error);
  }
}

/** A reporter with every method. */
export function wholeReporter(reporter: Partial<Reporter>): Reporter {
  return {
    note: (text) => reporter.note?.(text),
    warn: (text) => reporter.warn?.(text),
    progress: (progress) => reporter.progress?.(progress),
    ...(reporter.request ? { request: (request) => reporter.request?.(request) } : {}),
  };
}
