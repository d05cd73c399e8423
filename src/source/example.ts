import { fileURLToPath } from 'node:url';
import { ownPython } from './python.js';
import { type LocalServer, SERVE_PROJECT, serve } from './serve.js';

const FOLDER = fileURLToPath(new URL('../../fixtures/gridsim', import.meta.url));

/** Serves the built-in example, the OpenEnv project gridsim, to this process only. */
export function serveExample(note: (text: string) => void, signal: AbortSignal): Promise<LocalServer> {
  return start([], true, note, signal);
}

/**
 * Serves the built-in example to every process on this machine, since NeMo Gym cannot know a token. The server still checks
 * `Host` and `Origin`.
 */
export function serveExampleOpenly(
  port: number,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<LocalServer> {
  return start([`--port=${port}`], false, note, signal);
}

async function start(
  options: string[],
  token: boolean,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<LocalServer> {
  const python = await ownPython('gridsim', note, signal);
  note('serving the built-in example, gridsim');
  return serve(python, [SERVE_PROJECT, 'server.app:app', ...options], { cwd: FOLDER, name: 'gridsim', signal, token });
}
