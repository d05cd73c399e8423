import v8 from 'node:v8';
import type { Worker } from 'node:worker_threads';

/**
 * Keeps the young generation small, in this thread and in new ones: what lives while rows stream is small, and V8 would
 * let the garbage between two collections grow to 20 MB for 5 % of speed. Parallel scavenging of so little costs more
 * than it saves.
 */
export function keepHeapSmall(): void {
  setFlags();
  // V8 resets flags with each new thread.
  if (!process.listeners('worker').includes(inThread)) process.on('worker', inThread);
}

function inThread(worker: Worker): void {
  worker.once('online', setFlags);
}

function setFlags(): void {
  v8.setFlagsFromString('--no-parallel-scavenge');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}
