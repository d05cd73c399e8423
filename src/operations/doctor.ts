import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { which } from '../files.js';
import { candidatePythons, findUv, frameworkProblem, runProgram } from '../source/index.js';

/** Something that gymgen, or what it writes, works with. */
export interface Check {
  name: string;
  /** What it is for. */
  use: string;
  /** Its version and where it is, or null where it isn't there. */
  found: string | null;
  /** How to get it, where it isn't there. */
  fix: string;
  /** Whether something is amiss where it isn't there: what gymgen can get by itself isn't needed. */
  needed: boolean;
}

const NODE = 20;
/** What nemo-gym 0.7.0 requires. */
const GYM_PYTHON = [3, 13, 14] as const;

/** Looks for what there is on this machine; nothing is installed. */
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
  const folder = uv && path.dirname(uv);
  const own =
    folder && (await which('uv')) === undefined
      ? `: not on PATH, where NeMo Gym looks (export PATH="$PATH:${folder}")`
      : '';
  return {
    name: 'uv',
    use: 'serves bundles, OpenEnv projects and the demo, each with what it needs; makes the venvs of NeMo Gym',
    found: uv && `${(await said(uv, ['--version'], signal))?.replace(/^uv /, '') ?? '?'}, ${uv}${own}`,
    fix: 'https://docs.astral.sh/uv/, or pip install uv',
    needed: true,
  };
}

/** Found as uv finds it: outside of venvs. */
async function gymPython(uv: string | null, signal: AbortSignal): Promise<Check> {
  const wanted = GYM_PYTHON.join('.');
  const python = uv && (await said(uv, ['python', 'find', '--no-project', '--system', `>=${wanted}`], signal));
  const candidates = [...(python ? [python] : []), 'python3.13', 'python3'];
  let found: string | null = null;
  for (const candidate of candidates) {
    const version = await said(candidate, ['-I', '-c', 'import platform; print(platform.python_version())'], signal);
    if (version !== null && isNewer(version, GYM_PYTHON)) {
      found = `${version}, ${candidate}`;
      break;
    }
  }
  return {
    name: `Python ${wanted} or newer`,
    use: 'NeMo Gym 0.7 and the servers that are written',
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
      found = `${(await said(python, ['-c', version], signal)) ?? '?'}, ${python}`;
    }
  }
  return {
    name: 'agentenv-framework[openenv]',
    use: 'serves AgentEnv bundles',
    found,
    fix: canMake
      ? 'gymgen installs it with uv when it is needed; for your own: uv pip install "agentenv-framework[openenv]"'
      : 'pip install "agentenv-framework[openenv]" (Python 3.11 or newer)',
    needed: !canMake,
  };
}

/** The version is asked of the Python that the script names: the command itself takes seconds to start. */
async function gym(signal: AbortSignal): Promise<Check> {
  const script = await which('gym');
  const interpreter = script && /^#!(\S+)/.exec(await readFile(script, 'utf8').catch(() => ''))?.[1];
  const asked = 'from importlib.metadata import version; print(version("nemo-gym"))';
  const version = interpreter ? await said(interpreter, ['-c', asked], signal) : null;
  return {
    name: 'gym',
    use: 'NeMo Gym, which plays what is written',
    found: version && `${version}, ${script}`,
    fix: 'uv tool install --python 3.13 "nemo-gym[dev]==0.7.0", or a checkout of NeMo Gym',
    needed: true,
  };
}

/** What a program says in its first line, or null where it fails or isn't there. */
async function said(program: string, args: string[], signal: AbortSignal): Promise<string | null> {
  const run = await runProgram(program, args, {
    cwd: '/',
    env: { PYTHONSAFEPATH: '1' }, // no module of the folder that it runs in
    signal,
    stdin: 'ignore',
    reject: false,
  });
  signal.throwIfAborted();
  return run.failed ? null : (run.stdout.trim().split('\n')[0] ?? null);
}
