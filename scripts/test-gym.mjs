// npm run test:gym [-- --nemo-gym VERSION]: plays rollouts on another NeMo Gym version than the locked one of `npm
// test`.

import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './project.mjs';
import { ensureGymVenv, ensureVenv, environment } from './toolchain.mjs';

const USAGE = 'usage: npm run test:gym -- --nemo-gym locked|latest|VERSION   (latest by default)';
/** The main test, end to end: writes a server's Gym root, reads it with NeMo Gym, and plays its rows. */
const TESTS = 'test/e2e/gridsim.test.ts';

/** The requested version, or undefined if the arguments are invalid. */
function asked() {
  try {
    const version = parseArgs({ options: { 'nemo-gym': { type: 'string', default: 'latest' } } }).values['nemo-gym'];
    return /^(?:locked|latest|\d+(?:\.\w+)*)$/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

function versionIn(venv) {
  const code = "import importlib.metadata; print(importlib.metadata.version('nemo-gym'))";
  return spawnSync(join(venv, 'bin', 'python'), ['-I', '-c', code], { encoding: 'utf8' }).stdout.trim();
}

async function main(version) {
  await ensureInstalled();
  const venv = await (version === 'locked' ? ensureVenv('gym') : ensureGymVenv(version));
  console.log(`NeMo Gym ${versionIn(venv)} (${version})`);
  const env = { ...environment(), GYMGEN_GYM_VENV: venv };
  const vitest = join(root, 'node_modules', '.bin', 'vitest');
  const tests = spawn(vitest, ['run', '--project', 'e2e', TESTS], { cwd: root, env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
  tests.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

const version = asked();
try {
  if (version === undefined) throw Object.assign(new Error(USAGE), { exitCode: 2 });
  await main(version);
} catch (error) {
  console.error(`npm run test:gym: ${error.message}`);
  process.exitCode = error.exitCode ?? 1;
}
