import { fileURLToPath } from 'node:url';

/** A file that locks what gymgen itself installs: versions, and the hash of each file. `scripts/lock.mjs` makes them. */
export function requirementsFile(name: 'uv' | 'agentenv' | 'gridsim'): string {
  return fileURLToPath(new URL(`../../requirements/${name}.txt`, import.meta.url));
}
