// The Python that NeMo Gym asks uv for, and how to install that Python on this machine.

import { delimiter } from 'node:path';
import { which } from '../../files.js';
import { isReachable } from '../../openenv/index.js';
import { shellQuote } from '../../printed-command.js';
import { BUILD_PYTHON, candidatePythons, GYM_PYTHON } from '../../source/index.js';
import type { Gym } from './gym.js';
import { type Check, firstLineOf, outputOf } from './programs.js';

/**
 * NeMo Gym creates the venv of each server with `uv venv --python` and the version of its own Python. uv then looks outside
 * of virtual environments, even if one is active. Without `gym`, the version is the one that `gymgen play` asks uv for.
 * @see setup_env_command in nemo_gym/cli/setup_command.py
 */
export async function gymPython(uv: string | undefined, gym: Gym | null, signal: AbortSignal): Promise<Check> {
  const wanted = gym?.python ?? GYM_PYTHON;
  const check = {
    name: `Python ${wanted}`,
    use: gym
      ? 'the version of the Python that runs gym, with which uv creates the venv of each server'
      : 'runs NeMo Gym and the written servers',
  };
  if (uv === undefined) {
    return {
      ...check,
      found: null,
      problem: 'unknown without uv',
      fix: 'install uv, and run doctor again',
      needed: true,
    };
  }
  const python = await find(uv, wanted, signal);
  if (python !== null) {
    const version = await firstLineOf(python, ['-I', '-c', 'import platform; print(platform.python_version())'], {
      signal,
    });
    return { ...check, found: `${version ?? '?'}, ${python}`, needed: true };
  }
  const problem = 'uv finds none outside of virtual environments';
  return { ...check, found: null, problem, ...(await remedy(uv, wanted, gym, signal)) };
}

/** Runs in the current folder, because NeMo Gym also reads the settings of a uv.toml there. */
function find(uv: string, wanted: string, signal: AbortSignal, env: Record<string, string> = {}) {
  const args = ['python', 'find', '--no-project', '--system', wanted];
  return firstLineOf(uv, args, { signal, env, cwd: process.cwd() });
}

/** The first way to get the Python that works here. */
async function remedy(
  uv: string,
  wanted: string,
  gym: Gym | null,
  signal: AbortSignal,
): Promise<Required<Pick<Check, 'fix' | 'needed'>>> {
  const folder = await hiddenFolder(uv, wanted, gym, signal);
  if (folder !== undefined) return { fix: `export PATH="$PATH":${shellQuote(folder)}`, needed: true };
  const downloads = await downloadsOf(uv, wanted, signal);
  const download = `uv python install ${shellQuote(wanted)}`;
  if (downloads === 'automatic') {
    return { fix: `uv downloads it when NeMo Gym needs it; to download it now: ${download}`, needed: false };
  }
  if (downloads === 'manual') return { fix: download, needed: true };
  return { fix: (await packaged(wanted, signal)) ?? (await built(wanted)), needed: true };
}

const PROGRAMS = 'import os, sys; print(os.path.join(sys.base_prefix, "bin"))';

/** The folder of a virtual environment's base, if it has the Python and only has to be put on PATH. */
async function hiddenFolder(uv: string, wanted: string, gym: Gym | null, signal: AbortSignal) {
  const bases = [...candidatePythons(), 'python3.13'].map((python) =>
    firstLineOf(python, ['-I', '-c', PROGRAMS], { signal }),
  );
  const folders = new Set([gym?.programs, ...(await Promise.all(bases))]);
  for (const folder of folders) {
    if (!folder) continue;
    const PATH = [process.env.PATH ?? '', folder].join(delimiter);
    if ((await find(uv, wanted, signal, { PATH })) !== null) return folder;
  }
  return undefined;
}

/**
 * Whether uv would download the Python: by itself, on demand, or not at all. This depends on settings and the network.
 */
async function downloadsOf(uv: string, wanted: string, signal: AbortSignal): Promise<'automatic' | 'manual' | 'off'> {
  const options = { signal, cwd: process.cwd() };
  const settings = (await outputOf(uv, ['--show-settings', 'python', 'install', wanted], options)) ?? '';
  const mode = /\bpython_downloads: (Automatic|Manual)\b/.exec(settings)?.[1];
  const isOff = /\bconnectivity: Offline\b|\bpython_preference: OnlySystem\b/.test(settings);
  if (mode === undefined || isOff) return 'off';
  const listed = await outputOf(uv, ['python', 'list', '--only-downloads', '--output-format', 'json', wanted], options);
  const mirror = /\bpython_install_mirror: Some\(\s*"([^"]+)"/.exec(settings)?.[1];
  const url = listed && /"url":\s*"([^"]+)"/.exec(listed)?.[1];
  if (!url || !(await isReachable(mirror ?? url))) return 'off';
  return mode === 'Automatic' ? 'automatic' : 'manual';
}

/** The command that installs the distribution's package, if the package is new enough. */
async function packaged(wanted: string, signal: AbortSignal): Promise<string | undefined> {
  const policy = await outputOf('apt-cache', ['policy', 'python3.13'], { signal, env: { LC_ALL: 'C' } });
  const [, version, patch] = /^ *Candidate: (3\.13\.(\d+))/m.exec(policy ?? '') ?? [];
  if (version === undefined) return undefined;
  const isAccepted = wanted === GYM_PYTHON ? Number(patch) >= 14 : version === wanted;
  return isAccepted ? `${asRoot}apt-get install python3.13` : undefined;
}

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? '' : 'sudo ';

async function built(wanted: string): Promise<string> {
  const isAny = wanted === GYM_PYTHON;
  if (isAny && isRoot && (await which('bash')) && (await which('apt-get'))) {
    return `export PATH="$PATH:$(dirname "$(${shellQuote(BUILD_PYTHON)})")"`;
  }
  const version = isAny ? '3.13.14 or newer' : wanted;
  return `install CPython ${version} (https://www.python.org/downloads/), and put its folder on PATH`;
}
