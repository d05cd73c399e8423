import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { which } from '../files.js';
import { candidatePythons, findUv, frameworkProblem, runProgram } from '../source/index.js';

/** A program or package that gymgen or the written servers use. */
export interface Check {
  name: string;
  /** What it is for. */
  use: string;
  /** Version and path; null if it was not found. */
  found: string | null;
  /** How to get it. */
  fix: string;
  /** Whether it must be installed. False for what gymgen can install itself. */
  needed: boolean;
  /** A problem with the found version. */
  warning?: string;
}

const NODE = 20;
/** Minimum version for nemo-gym 0.7.0. */
const GYM_PYTHON = [3, 13, 14] as const;

/** Looks for programs and packages on this machine. Installs nothing. */
export async function doctor(signal: AbortSignal): Promise<Check[]> {
  const uv = (await findUv()) ?? null;
  return [
    node(),
    await uvCheck(uv, signal),
    await gymPython(uv, signal),
    await framework(uv !== null, signal),
    await gym(signal),
  ];
}

function node(): Check {
  const { node: version } = process.versions;
  return {
    name: `Node.js ${NODE} or newer`,
    use: 'runs gymgen',
    found: Number.parseInt(version, 10) >= NODE ? `${version}, ${process.execPath}` : null,
    fix: 'https://nodejs.org/',
    needed: true,
  };
}

async function uvCheck(uv: string | null, signal: AbortSignal): Promise<Check> {
  const isOnPath = (await which('uv')) !== undefined;
  return {
    name: 'uv',
    use: 'serves bundles, OpenEnv projects and the demo, and creates the virtual environments of NeMo Gym',
    found: uv && `${(await firstLineOf(uv, ['--version'], signal))?.replace(/^uv /, '') ?? '?'}, ${uv}`,
    fix: 'https://docs.astral.sh/uv/, or pip install uv',
    needed: true,
    ...(uv && !isOnPath
      ? { warning: `but not on PATH, as NeMo Gym requires (export PATH="$PATH:${path.dirname(uv)}")` }
      : {}),
  };
}

/** Looks where uv does: outside of virtual environments. */
async function gymPython(uv: string | null, signal: AbortSignal): Promise<Check> {
  const wanted = GYM_PYTHON.join('.');
  const python = uv && (await firstLineOf(uv, ['python', 'find', '--no-project', '--system', `>=${wanted}`], signal));
  const candidates = [...(python ? [python] : []), 'python3.13', 'python3'];
  let found: string | null = null;
  for (const candidate of candidates) {
    const version = await firstLineOf(
      candidate,
      ['-I', '-c', 'import platform; print(platform.python_version())'],
      signal,
    );
    if (version !== null && isNewer(version, GYM_PYTHON)) {
      found = `${version}, ${candidate}`;
      break;
    }
  }
  return {
    name: `Python ${wanted} or newer`,
    use: 'runs NeMo Gym 0.7 and the written servers',
    found,
    fix: 'uv python install 3.13',
    needed: true,
  };
}

function isNewer(version: string, than: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const at = than.findIndex((part, index) => parts[index] !== part);
  return at === -1 || (parts[at] ?? 0) > (than[at] as number);
}

async function framework(canMake: boolean, signal: AbortSignal): Promise<Check> {
  let found: string | null = null;
  for (const python of candidatePythons()) {
    if (found === null && (await frameworkProblem(python, signal)) === null) {
      const version = 'from importlib.metadata import version; print(version("agentenv-framework"))';
      found = `${(await firstLineOf(python, ['-c', version], signal)) ?? '?'}, ${python}`;
    }
  }
  return {
    name: 'agentenv-framework[openenv]',
    use: 'serves AgentEnv bundles',
    found,
    fix: canMake
      ? 'gymgen installs it with uv when needed; to install it yourself: uv pip install "agentenv-framework[openenv]"'
      : 'pip install "agentenv-framework[openenv]" (Python 3.11 or newer)',
    needed: !canMake,
  };
}

/** Asks the Python of the script for the version, because the command itself takes seconds to start. */
async function gym(signal: AbortSignal): Promise<Check> {
  const script = await which('gym');
  const interpreter = script && /^#!(\S+)/.exec(await readFile(script, 'utf8').catch(() => ''))?.[1];
  const asked = 'from importlib.metadata import version; print(version("nemo-gym"))';
  const version = interpreter ? await firstLineOf(interpreter, ['-c', asked], signal) : null;
  return {
    name: 'gym',
    use: 'NeMo Gym, which runs the written servers',
    found: version && `${version}, ${script}`,
    fix: 'uv tool install --python 3.13 "nemo-gym[dev]==0.7.0", or a checkout of NeMo Gym',
    needed: true,
  };
}

/** The first line that a program prints; null if it fails or does not exist. */
async function firstLineOf(program: string, args: string[], signal: AbortSignal): Promise<string | null> {
  const run = await runProgram(program, args, {
    cwd: '/',
    env: { PYTHONSAFEPATH: '1' }, // import no module of the current folder
    signal,
    stdin: 'ignore',
    reject: false,
  });
  signal.throwIfAborted();
  return run.failed ? null : (run.stdout.trim().split('\n')[0] ?? null);
}
