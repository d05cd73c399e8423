import os from 'node:os';
import path from 'node:path';

/** Where gymgen keeps what it had to install or compile, by the XDG convention, which has relative paths ignored. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME: given = '' } = process.env;
  return path.join(path.isAbsolute(given) ? given : path.join(home(), '.cache'), 'gymgen');
}

/** A user that the system doesn't know, as in some containers, has no home: it is `/` for most programs, then. */
function home(): string {
  try {
    return path.resolve('/', os.homedir());
  } catch {
    return path.resolve('/');
  }
}
