import { fileURLToPath } from 'node:url';
import { ownPython } from './python-env.js';
import { PROJECT_PROGRAM, type Served, serve } from './served.js';

const FOLDER = fileURLToPath(new URL('../../fixtures/gridsim', import.meta.url));

/** Serves the built-in example, an OpenEnv project, for this process alone. */
export function serveGridsim(say: (text: string) => void, signal: AbortSignal): Promise<Served> {
  return serveExample(['server.app:app'], true, say, signal);
}

/**
 * Serves the built-in example to whoever connects on this machine, without a token: NeMo Gym could not know it. `Host` and
 * `Origin` are checked.
 */
export function serveGridsimOpenly(port: number, say: (text: string) => void, signal: AbortSignal): Promise<Served> {
  return serveExample(['server.app:app', `--port=${port}`], false, say, signal);
}

async function serveExample(
  args: string[],
  token: boolean,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Served> {
  const python = await ownPython('gridsim', say, signal);
  say('serving the built-in example, gridsim');
  return serve(python, [PROJECT_PROGRAM, ...args], { cwd: FOLDER, what: 'gridsim', signal, token });
}
