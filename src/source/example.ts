import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter } from '../reporter.js';
import { ownPython } from './python.js';
import { type LocalServer, SERVE_PROJECT, serve } from './serve.js';

const FOLDER = fileURLToPath(new URL('../../fixtures/gridsim', import.meta.url));

/** Scripts that play the built-in example, for `gymgen play --policy`. */
export const EXAMPLE_POLICY = path.join(FOLDER, 'policy.yaml');

/** Serves the built-in example, the OpenEnv project gridsim, to this process only. */
export function serveExample(reporter: Reporter, signal: AbortSignal): Promise<LocalServer> {
  return start([], true, reporter, signal);
}

/**
 * Serves the built-in example to every process on this machine, since NeMo Gym cannot know a token. The server still checks
 * `Host` and `Origin`.
 */
export function serveExampleOpenly(port: number, reporter: Reporter, signal: AbortSignal): Promise<LocalServer> {
  return start([`--port=${port}`], false, reporter, signal);
}

async function start(options: string[], token: boolean, reporter: Reporter, signal: AbortSignal): Promise<LocalServer> {
  const python = await ownPython('gridsim', reporter, signal);
  reporter.progress({ phase: 'start', what: 'the built-in example, gridsim' });
  return serve(python, [SERVE_PROJECT, 'server.app:app', ...options], {
    cwd: FOLDER,
    name: 'gridsim',
    reporter,
    signal,
    token,
  });
}
