import path from 'node:path';
import { execa } from 'execa';
import { UserError } from '../errors.js';
import { FRAMEWORK_VERSION } from './framework-version.js';
import { makePythonEnv } from './python-env.js';

/** Installed if the caller has no AgentEnv. */
const REQUIREMENT = `agentenv-framework[openenv]==${FRAMEWORK_VERSION}`;

/** Fails without the framework's OpenEnv server, or with a Python that is too old for it. */
const PROBE = `
import sys
from importlib.metadata import version
from importlib.util import find_spec
if sys.version_info < (3, 11): sys.exit("Python 3.11 or newer is needed")
version("agentenv-framework")
missing = [name for name in ("openenv", "uvicorn") if find_spec(name) is None]
if missing: sys.exit("there is no " + " and no ".join(missing))
`;

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
  return await makePythonEnv({ name: 'AgentEnv', key: REQUIREMENT, install: [REQUIREMENT], cwd: '/' }, say, signal);
}

/** The Pythons that are the caller's own, and may have it. */
export function pythonsWithFramework(): string[] {
  const { VIRTUAL_ENV } = process.env;
  return [...(VIRTUAL_ENV ? [path.join(VIRTUAL_ENV, 'bin', 'python')] : []), 'python3'];
}

/** What keeps a Python from serving bundles, or null. Asked in `/`: a folder named `openenv` here would be found as one. */
export async function frameworkLacks(python: string, signal: AbortSignal): Promise<string | null> {
  const run = await execa(python, ['-c', PROBE], { cwd: '/', cancelSignal: signal, stdin: 'ignore', reject: false });
  signal.throwIfAborted();
  if (!run.failed) return null;
  return run.stderr.trim().split('\n').at(-1) || (run.shortMessage ?? 'it fails');
}
