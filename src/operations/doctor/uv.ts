import { dirname } from 'node:path';
import { which } from '../../files.js';
import { isReachable } from '../../openenv/index.js';
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
  const onPath = await which('uv');
  const uv = onPath ?? known;
  if (uv === undefined) return { ...check, found: null, fix: await install(signal) };
  const version = (await firstLineOf(uv, ['--version'], { signal }))?.replace(/^uv /, '');
  const found = `${version ?? '?'}, ${uv}`;
  if (onPath !== undefined) return { ...check, found };
  const warning = "gymgen's own, not on PATH: only NeMo Gym's own commands need it there";
  return { ...check, found, warning, fix: `export PATH="$PATH":${shellQuote(dirname(uv))}` };
}

/**
 * Prints how a Python can install uv. `pip` must not install beside the packages of the system (PEP 668), but may
 * install in a virtual environment.
 */
const INSTALLERS = `
import importlib.util, os, sys, sysconfig
managed = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
is_managed = sys.prefix == sys.base_prefix and os.path.exists(managed)
has = importlib.util.find_spec
print("pip" if has("pip") and not is_managed else "venv" if has("ensurepip") else "")`;

const DOCS = 'https://docs.astral.sh/uv/getting-started/installation/';
const SCRIPT = 'https://astral.sh/uv/install.sh';
const VENV = '~/.local/uv-venv';

/** The first way to install uv that works here. */
async function install(signal: AbortSignal): Promise<string> {
  const python = await which('python3');
  const installer = python && (await firstLineOf(python, ['-I', '-c', INSTALLERS], { signal }));
  if (installer === 'pip') return 'python3 -m pip install uv';
  if (await which('pipx')) return 'pipx install uv';
  if (await which('brew')) return 'brew install uv';
  if ((await which('curl')) && (await isReachable(SCRIPT))) return `curl -LsSf ${SCRIPT} | sh`;
  if (installer === 'venv') {
    return `python3 -m venv ${VENV} && ${VENV}/bin/pip install uv && export PATH="$PATH":${VENV}/bin`;
  }
  return DOCS;
}
