import os from 'node:os';
import path from 'node:path';

/** Where gymgen keeps what it had to install or compile, by the XDG convention. */
export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(home(), '.cache'), 'gymgen');
}

/** A user that the system doesn't know, as in some containers, has no home: it is `/` for most programs, then. */
function home(): string {
  try {
    return os.homedir();
  } catch {
    return path.parse(process.cwd()).root;
  }
}
