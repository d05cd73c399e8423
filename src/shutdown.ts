/** Work that a signal must not cut off, in the words in which it is waited for. */
const holds = new Set<{ what: string }>();
/** What must not be left behind if gymgen exits before its work has ended in order. */
const cleanups = new Set<() => void>();

/**
 * Keeps gymgen from exiting after a signal, up to a limit.
 * @param what is waited for: `the commit of gridsim_v1 to finish`
 * @returns ends that
 */
export function holdExit(what: string): () => void {
  const hold = { what };
  holds.add(hold);
  return () => void holds.delete(hold);
}

/** What gymgen must wait for now. */
export function heldBy(): string[] {
  return [...holds].map(({ what }) => what);
}

/**
 * Registers what a forced exit removes. It runs synchronously, and its errors are ignored.
 * @returns takes it back, once an orderly end has done the same
 */
export function cleanOnForcedExit(clean: () => void): () => void {
  cleanups.add(clean);
  return () => void cleanups.delete(clean);
}

/** Exits now, in whatever state the work is. */
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
