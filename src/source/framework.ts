import path from 'node:path';
import { UserError } from '../errors.js';
import { ownPython } from './python-env.js';

/** Fails without the framework's OpenEnv server, or with a Python that is too old for it. */
const PROBE = `
import sys
if sys.version_info < (3, 11): sys.exit("Python 3.11 or newer is needed")
from importlib.metadata import version
from importlib.util import find_spec
version("agentenv-framework")
missing = [name for name in ("openenv", "uvicorn") if find_spec(name) is None]
if missing: sys.exit("there is no " + " and no ".join(missing))
`;

import { runProgram } from './run-program.js';

/**
 * A Python that has AgentEnv: the one that was given, else the caller's own where it has it (an active virtual environment,
 * or `python3` on PATH, so that bundles and plugins installed there are found), else one made by uv in the cache.
 * @throws UserError where the given one has no AgentEnv, or none can be made
 */
export async function frameworkPython(
  given: string | undefined,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  if (given !== undefined) {
    const lacks = await frameworkLacks(given, signal);
    if (lacks === null) return given;
    throw new UserError(`--python ${given} can't serve a bundle: ${lacks}`, {
      fix: `uv pip install --python ${given} 'agentenv-framework[openenv]'`,
    });
  }
  for (const python of pythonsWithFramework()) {
    if ((await frameworkLacks(python, signal)) === null) return python;
  }
  return await ownPython('agentenv', say, signal);
}

/** The Pythons that are the caller's own, and may have it. */
export function pythonsWithFramework(): string[] {
  const { VIRTUAL_ENV } = process.env;
  return [...(VIRTUAL_ENV ? [path.join(VIRTUAL_ENV, 'bin', 'python')] : []), 'python3'];
}

/**
 * What keeps a Python from serving bundles, or null. It looks for modules in no folder but its own, the user's and those
 * of PYTHONPATH: `-I` would leave out the latter two, where plugins may be.
 */
export async function frameworkLacks(python: string, signal: AbortSignal): Promise<string | null> {
  const run = await runProgram(python, ['-c', PROBE], {
    cwd: '/',
    env: { PYTHONSAFEPATH: '1' },
    signal,
    stdin: 'ignore',
    reject: false,
  });
  signal.throwIfAborted();
  if (!run.failed) return null;
  return run.stderr.trim().split('\n').at(-1) || (run.shortMessage ?? 'it fails');
}
