import { dirname } from 'node:path';
import { which } from '../../files.js';
import { shellQuote } from '../../printed-command.js';
import { type Check, firstLineOf } from './programs.js';

/**
 * uv as NeMo Gym finds it: on PATH.
 * @param known gymgen's own uv if there is none on PATH
 */
export async function uvCheck(known: string | undefined, signal: AbortSignal): Promise<Check> {
  const check = {
    name: 'uv',
    use: 'serves bundles, OpenEnv projects and the demo, and creates the virtual environments of NeMo Gym',
    needed: true,
  };
  const uv = await which('uv');
  if (uv !== undefined) {
    const version = (await firstLineOf(uv, ['--version'], { signal }))?.replace(/^uv /, '');
    return { ...check, found: `${version ?? '?'}, ${uv}` };
  }
  if (known === undefined) return { ...check, found: null, fix: await install(signal) };
  const problem = 'not on PATH, where NeMo Gym looks for it; gymgen has its own';
  return { ...check, found: null, problem, fix: `export PATH="$PATH":${shellQuote(dirname(known))}` };
}

/** Fails if pip is missing, or if the system's packages may not be mixed with pip's (PEP 668). */
const PIP_INSTALLS = `
import os, pip, sys, sysconfig
in_venv = sys.prefix != sys.base_prefix
sys.exit(not in_venv and os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")))`;

/** @see https://docs.astral.sh/uv/getting-started/installation/ */
async function install(signal: AbortSignal): Promise<string> {
  const python = await which('python3');
  if (python && (await firstLineOf(python, ['-I', '-c', PIP_INSTALLS], { signal })) !== null) {
    return 'python3 -m pip install uv';
  }
  if (await which('pipx')) return 'pipx install uv';
  if (await which('brew')) return 'brew install uv';
  if (await which('curl')) return 'curl -LsSf https://astral.sh/uv/install.sh | sh';
  return 'https://docs.astral.sh/uv/getting-started/installation/';
}
