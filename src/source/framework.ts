import path from 'node:path';
import { UserError } from '../errors.js';
import type { SetupReporter } from '../reporter.js';
import { runProgram } from './programs.js';
import { ownPython } from './python.js';

/** The version of agentenv-framework that gymgen installs and is tested with. */
export const FRAMEWORK_VERSION = '0.9.1364';

/** Fails if the framework's OpenEnv server is missing, or the Python is too old for it. */
const PROBE = `
import sys
if sys.version_info < (3, 11): sys.exit("Python 3.11 or newer is required")
from importlib.metadata import version
from importlib.util import find_spec
version("agentenv-framework")
missing = [name for name in ("openenv", "uvicorn") if find_spec(name) is None]
if missing: sys.exit("missing packages: " + ", ".join(missing))
`;

/**
 * A Python that has AgentEnv: the requested one; otherwise one of the user's own, which may have bundles and plugins
 * installed; otherwise one that uv creates in the cache.
 * @param requested the value of `--python`
 * @throws UserError if the requested Python has no AgentEnv, or none can be created
 */
export async function frameworkPython(
  requested: string | undefined,
  reporter: SetupReporter,
  signal: AbortSignal,
): Promise<string> {
  if (requested !== undefined) {
    const problem = await frameworkProblem(requested, signal);
    if (problem === null) return requested;
    throw new UserError(`--python ${requested} cannot serve a bundle: ${problem}`, {
      fix: `uv pip install --python ${requested} 'agentenv-framework[openenv]'`,
    });
  }
  for (const python of candidatePythons()) {
    if ((await frameworkProblem(python, signal)) === null) return python;
  }
  return await ownPython('agentenv', reporter, signal);
}

/** The user's own Pythons that may have AgentEnv: the active virtual environment's, and `python3` on PATH. */
export function candidatePythons(): string[] {
  const { VIRTUAL_ENV } = process.env;
  return [...(VIRTUAL_ENV ? [path.join(VIRTUAL_ENV, 'bin', 'python')] : []), 'python3'];
}

/** Why a Python cannot serve bundles; null if it can. */
export async function frameworkProblem(python: string, signal: AbortSignal): Promise<string | null> {
  // PYTHONSAFEPATH keeps modules of the current folder out. `-I` would also ignore PYTHONPATH and the user's own
  // site-packages, where plugins may be installed.
  const run = await runProgram(python, ['-c', PROBE], {
    cwd: '/',
    env: { PYTHONSAFEPATH: '1' },
    signal,
    stdin: 'ignore',
    reject: false,
  });
  signal.throwIfAborted();
  if (!run.failed) return null;
  return run.stderr.trim().split('\n').at(-1) || (run.shortMessage ?? 'it failed');
}
