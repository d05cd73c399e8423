/** Work that a signal must not interrupt, as named in messages. */
const holds = new Set<{ what: string }>();
/** Paths that this process has written. */
const written = new Set<string>();
/** Cleanups for an exit before the work has ended in order. */
const cleanups = new Set<() => void>();

/**
 * Keeps gymgen from exiting after a signal, up to a time limit.
 * @param what the work, such as `the commit of gridsim_v1 to finish`
 * @returns a function to call when the work has ended
 */
export function holdExit(what: string): () => void {
  const hold = { what };
  holds.add(hold);
  return () => void holds.delete(hold);
}

/** Remembers what was written, so that an interruption reports it. */
export function noteWritten(path: string): void {
  written.add(path);
}

export function writtenPaths(): string[] {
  return [...written];
}

/** The work that gymgen must wait for now. */
export function heldBy(): string[] {
  return [...holds].map(({ what }) => what);
}

/**
 * Registers a cleanup for a forced exit. It runs synchronously, and its errors are ignored.
 * @returns a function that removes it again, to call after an orderly end
 */
export function cleanOnForcedExit(clean: () => void): () => void {
  cleanups.add(clean);
  return () => void cleanups.delete(clean);
}

/** Exits now, even if the work has not ended. */
export function forceExit(code: number): never {
  for (const clean of cleanups) {
    try {
      clean();
    } catch {
      // the next run cleans up
    }
  }
  process.exit(code);
}

/** A promise that rejects when the signal aborts, or if it has aborted already, and a function that stops listening. */
export function abortion(signal: AbortSignal): { aborted: Promise<never>; release: () => void } {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  aborted.catch(() => {});
  return { aborted, release: () => signal.removeEventListener('abort', abort) };
}
