// `gymgen BUNDLE ROOT`, against serving the bundle by hand and running gymgen on its URL.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../scripts/project.mjs';
import { ensureVenv, environment } from '../scripts/toolchain.mjs';
import { gymgen, withFolder } from './support/commands.mjs';
import { inTurn, whileServed } from './support/measure.mjs';
import { time } from './support/rows.mjs';

const FIXTURES = join(root, 'fixtures/agentenv');
const BUNDLE = join(FIXTURES, 'bundles/qa-v1');

/** The time at which gymgen prints `wrote`, in milliseconds. Returns after gymgen has ended. */
async function wrote(source, env) {
  return withFolder(async (folder) => {
    const [command, ...args] = gymgen(source, folder, '--quiet');
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    let at;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('wrote')) at = performance.now();
    }
    await closed;
    if (at === undefined) throw new Error(`gymgen ${source} wrote nothing`);
    return at;
  });
}

/** Writes the only certificate that AgentEnv trusts under serve.py. */
function oneAuthority(python, file) {
  const code = 'import pathlib, serve, sys; serve.one_authority(pathlib.Path(sys.argv[1]))';
  execFileSync(python, ['-c', code, file], { cwd: FIXTURES });
  return file;
}

/**
 * Measures both from the start to `wrote`, with the same Python and AgentEnv settings. A first round fills caches and
 * does not count.
 */
export async function source({ repeat = 3 } = {}) {
  const venv = await ensureVenv('agentenv');
  const python = join(venv, 'bin/python');
  return withFolder(async (state) => {
    const env = {
      ...environment(),
      VIRTUAL_ENV: venv,
      AGENT_ENV_CONFIG: join(FIXTURES, 'config.toml'),
      PYTHONPATH: join(FIXTURES, 'plugin'),
      XDG_STATE_HOME: state,
      SSL_CERT_FILE: oneAuthority(python, join(state, 'authority.pem')),
      LOGLEVEL: 'ERROR', // for AgentEnv and for serve.py
    };
    const server = [python, join(FIXTURES, 'serve.py'), BUNDLE, '--max-envs', '8'];
    const since = (began, at) => ({ seconds: (at - began) / 1000 });
    const ways = {
      byFolder: async () => since(performance.now(), await wrote(BUNDLE, env)),
      byHand: async () => since(performance.now(), await whileServed(server, (url) => wrote(url, env), { env })),
    };
    await inTurn(ways, 1);
    const { byFolder, byHand } = await inTurn(ways, repeat);
    return [time('a bundle by its folder', byFolder, 'served by hand', byHand, 1.2)];
  });
}
