import os from 'node:os';
import path from 'node:path';

/** Where gymgen keeps tools that it had to install, by the XDG convention. */
export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'gymgen');
}
