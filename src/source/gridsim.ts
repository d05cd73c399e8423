import { fileURLToPath } from 'node:url';
import { ownPython } from './python-env.js';
import { type Served, serve } from './served.js';

const FOLDER = fileURLToPath(new URL('../../fixtures/gridsim', import.meta.url));

/** Serves the built-in example, an OpenEnv project; port 0 takes a free one. */
export async function serveGridsim(port: number, say: (text: string) => void, signal: AbortSignal): Promise<Served> {
  const python = await ownPython('gridsim', say, signal);
  say('serving the built-in example, gridsim');
  const args = ['-m', 'server.app', '--port', String(port), '--until-stdin-closes'];
  return serve(python, args, { cwd: FOLDER, what: 'gridsim', signal });
}
