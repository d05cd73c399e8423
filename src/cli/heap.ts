import v8 from 'node:v8';

const NO_GROWTH = '--semi-space-growth-factor=1';

/** What is young is little: each collection would wait longer for threads that help it than they take. */
export function collectAlone(): void {
  v8.setFlagsFromString('--no-parallel-scavenge');
}

/**
 * What lives while rows stream is small, and V8 would let the garbage between two collections grow to 20 MB more for 5 % of
 * speed. What loading the modules made it grow to, some megabytes, halves what a small write takes to collect.
 */
export function keepHeapSmall(): void {
  v8.setFlagsFromString(NO_GROWTH);
  // V8 sets flags back with each new thread.
  process.on('worker', (worker) => {
    worker.once('online', () => {
      v8.setFlagsFromString(NO_GROWTH);
      collectAlone();
    });
  });
}

/** As when Node starts. */
export function letHeapGrow(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}
