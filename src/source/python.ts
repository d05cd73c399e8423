import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.js';
import type { SetupReporter } from '../reporter.js';
import { cachedFolder } from './cache.js';
import { ensureUv, installing, lockedRequirements, runProgram } from './programs.js';

/** OpenEnv and AgentEnv require this, whatever a project declares. */
export const SUPPORTED_PYTHON = '>=3.11';

/** The Python versions that NeMo Gym 0.7 accepts. */
export const GYM_PYTHON = '>=3.13.14,<3.14';

/** The program that prints the path of such a Python. On Debian, it builds one as root if there is none. */
export const BUILD_PYTHON = fileURLToPath(new URL('../../scripts/python313.sh', import.meta.url));

/** Arguments of `uv pip install` for packages with hashes. A build would install packages that are not locked. */
const LOCKED = ['--no-cache', '--no-deps', '--require-hashes', '--only-binary', ':all:'];

/** The packages that gymgen itself installs, and the Python versions that they support. */
const OWN = {
  agentenv: { name: 'AgentEnv', python: '>=3.11.4', install: LOCKED },
  gridsim: { name: 'gridsim', python: SUPPORTED_PYTHON, install: LOCKED },
  'nemo-gym': {
    name: 'NeMo Gym',
    python: GYM_PYTHON,
    install: [
      ...LOCKED,
      // The parser of OmegaConf has no wheel. The packages that build it are locked, too.
      ...['--no-binary', 'antlr4-python3-runtime', '--build-constraints', lockedRequirements('build')],
      // Several processes start in this environment at once, each of which would compile the same modules.
      '--compile-bytecode',
    ],
  },
};

/**
 * The Python of an environment with exactly the packages that gymgen locks. Files of the current folder, uv's settings and
 * uv's cache have no influence. To use a mirror, set an environment variable such as UV_DEFAULT_INDEX.
 * @throws UserError with uv's message if the environment cannot be created
 */
export async function ownPython(
  name: keyof typeof OWN,
  reporter: SetupReporter,
  signal: AbortSignal,
  { env = {}, building }: BuildOptions = {},
): Promise<string> {
  const file = lockedRequirements(name);
  const wanted = {
    ...OWN[name],
    install: [...OWN[name].install, '--requirements', file],
    options: ['--no-config'],
    cwd: '/',
    env,
  };
  const create = async (fresh: string) => {
    await building?.(fresh);
    await createEnvironment(wanted, fresh, reporter, signal);
  };
  return pythonIn(await cachedFolder(`envs/gymgen/${name}`, await readFile(file, 'utf8'), create));
}

export interface BuildOptions {
  /** Variables of the processes that create an environment. */
  env?: Record<string, string>;
  /** Called with the folder in which an environment is created, before that. A killed run leaves this folder behind. */
  building?: (folder: string) => Promise<void>;
}

export interface EnvironmentOptions {
  /** The environment's name in messages. */
  name: string;
  /** The Python versions that may be used, in uv's syntax. */
  python: string;
  /** Arguments of `uv pip install`. */
  install: string[];
  /** Options of every uv command. */
  options: string[];
  /** The folder that uv runs in. */
  cwd: string;
  /** Variables of uv. */
  env?: Record<string, string>;
}

/**
 * Creates a virtual environment with uv, and installs packages in it.
 * @param folder an empty folder, which may be moved afterwards
 * @throws UserError with uv's message if it fails
 */
export async function createEnvironment(
  { name, python, install, options, cwd, env = {} }: EnvironmentOptions,
  folder: string,
  reporter: SetupReporter,
  signal: AbortSignal,
): Promise<void> {
  const uv = await ensureUv(reporter, signal);
  const installed = installing(`the dependencies of ${name}`, reporter);
  const run = (...args: string[]) => runProgram(uv, args, { cwd, env, signal });
  try {
    await run('venv', ...options, '--quiet', '--relocatable', '--clear', '--no-project', '--python', python, folder);
    await run('pip', 'install', ...options, '--quiet', '--python', pythonIn(folder), ...install);
    await access(pythonIn(folder));
    installed();
  } catch (cause) {
    signal.throwIfAborted();
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    throw (
      missingPython(name, python, output) ??
      new UserError(`uv could not install the dependencies of ${name}`, {
        details: firstAndLast(output.trim().split('\n')),
        fix: UNTRUSTED.test(output)
          ? 'trust the certificates of this machine: export UV_SYSTEM_CERTS=1 (or SSL_CERT_FILE=<file of the authority>)'
          : 'solve the problem that uv reports, and run gymgen again',
        cause,
      })
    );
  }
}

export const pythonIn = (folder: string) => path.join(folder, 'bin', 'python');

/** uv's message behind a proxy with a certificate authority of its own. */
const UNTRUSTED = /UnknownIssuer|invalid peer certificate/;

/** uv's message if no Python satisfies a requirement. */
const MISSING = /no interpreter found|no download found|does not satisfy python|does not meet the python requirement/i;

/**
 * The error for a Python that is not on this machine; null if uv failed for another reason.
 * @param required in the syntax of `requires-python`, such as `>=3.11,>=3.14`
 * @param output uv's output
 */
export function missingPython(name: string, required: string, output: string): UserError | null {
  if (!MISSING.test(output)) return null;
  return new UserError(`${name} requires Python ${required}, which was not found`, {
    details: output.trim().split('\n').slice(0, 3),
    fix:
      required === GYM_PYTHON
        ? 'run gymgen doctor, which names a way to install it on this machine'
        : `install it: uv python install '${required}'`,
  });
}

/** Shortens uv's output. It starts with the step that failed, and ends with the root cause. */
function firstAndLast(lines: string[]): string[] {
  return lines.length > 5 ? [...lines.slice(0, 1), ...lines.slice(-4)] : lines;
}
