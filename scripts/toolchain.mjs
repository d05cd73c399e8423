// The Python toolchain of the tests: uv, a CPython that NeMo Gym accepts, and the venvs.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './project.mjs';

/** The folder for installed programs. Throws if other users can write it. */
export function cacheFolder() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gymgen');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOwn || found.mode & 0o022) throw new Error(`${folder} is not private: remove it`);
  chmodSync(folder, 0o700);
  return folder;
}

/** Runs a program and returns its stdout. Throws with the last lines of its stderr. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout.trim();
  const why = error?.message ?? (stderr ?? '').trim().split('\n').slice(-5).join('\n');
  throw new Error(`${[command, ...args].join(' ')} failed: ${why}`);
}

/** The first program of this name on PATH, or undefined. Relative entries of PATH are skipped. */
export function which(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    });
}

/** uv from PATH or the cache, or else its locked version, installed from PyPI with any pip that works. */
export function findUv() {
  const found = which('uv');
  if (found) return found;
  const lock = join(root, 'requirements', 'uv.txt');
  const [version] = readFileSync(lock, 'utf8').match(/^uv==\S+/);
  const folder = join(cacheFolder(), version.replace('==', '-'));
  const program = join(folder, 'bin', 'uv');
  if (existsSync(program)) return program;
  console.error('installing', version, 'from PyPI into', folder);
  const locked = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirement', lock];
  const install = ['-I', '-m', 'pip', 'install', '--quiet', '--target', folder, ...locked];
  const failures = [];
  for (const pip of [pythonsOwnPip, venvsPip]) {
    try {
      run(pip(), install, { cwd: '/' });
      return program;
    } catch (error) {
      failures.push(error.message);
    }
  }
  throw new Error(`uv is not on PATH and could not be installed:\n${failures.join('\n')}\nInstall uv and try again.`);
}

const pythonsOwnPip = () => 'python3'; // works even if Python is "externally managed", because of --target

function venvsPip() {
  const venv = join(cacheFolder(), 'pip'); // on Debian, pip and venv are separate packages, so one may be missing
  run('python3', ['-I', '-m', 'venv', '--clear', venv], { cwd: '/' });
  return join(venv, 'bin', 'python');
}

/** A CPython 3.13 that NeMo Gym accepts, found or built by python313.sh. */
export function findPython313() {
  const env = { ...process.env, UV: findUv() };
  cacheFolder(); // the script keeps a Python that it builds there
  return run(join(root, 'scripts', 'python313.sh'), [], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

const CHROMIUMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * A Chromium from PATH, or else Debian's package, which is installed only if this process is root already. Returns
 * undefined and prints the reason if there is none.
 */
export function findChromium() {
  const found = CHROMIUMS.map(which).find(Boolean);
  if (found) return found;
  if (process.getuid?.() !== 0 || !which('apt-get')) {
    console.error('no Chromium on PATH, and installing one needs root and apt-get: tests in a browser are skipped');
    return undefined;
  }
  console.error('installing chromium with apt-get');
  const install = ['-qq', 'install', '-y', '--no-install-recommends', 'chromium'];
  try {
    run('apt-get', ['-qq', 'update']);
    run('apt-get', install, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  } catch (error) {
    console.error(`${error.message}: tests in a browser are skipped`);
  }
  return which('chromium');
}

const REQUIREMENTS = join(root, 'scripts', 'requirements');
/** Overrides of transitive requirements. */
const WITHOUT = join(REQUIREMENTS, 'without.txt');

const VENVS = {
  gym: { python: findPython313, requirements: 'gym.txt', overrides: [WITHOUT] },
  agentenv: { python: () => '>=3.11,<3.14', requirements: 'agentenv.txt', overrides: [WITHOUT] },
  peer: { python: findPython313, requirements: 'peer.txt', overrides: [] },
};

/**
 * The folder of the venv `gym`, `agentenv` or `peer`. Creates it if it is missing or its requirements have changed.
 * Safe to call from several processes at once.
 */
export async function ensureVenv(name) {
  return makeVenv(name, VENVS[name], join(REQUIREMENTS, VENVS[name].requirements));
}

/**
 * The folder of a venv like `gym`, with another NeMo Gym version.
 * @param version a version, or `latest`, which is resolved on PyPI each time
 */
export async function ensureGymVenv(version) {
  const name = `gym-${version}`;
  const locked = readFileSync(join(REQUIREMENTS, VENVS.gym.requirements), 'utf8');
  const wanted = version === 'latest' ? '$1' : `$1==${version}`;
  const requirements = join(root, '.venvs', `${name}.txt`);
  mkdirSync(dirname(requirements), { recursive: true });
  writeFileSync(requirements, locked.replace(/^(nemo-gym\[dev\])==.*$/m, wanted));
  const venv = await makeVenv(name, VENVS.gym, requirements);
  if (version === 'latest') {
    const newest = ['--upgrade-package', 'nemo-gym', '--refresh-package', 'nemo-gym'];
    installInto(venv, VENVS.gym, requirements, ...newest);
  }
  return venv;
}

async function makeVenv(name, kind, requirements) {
  const asked = [requirements, ...kind.overrides].map((file) => readFileSync(file));
  const wanted = createHash('sha256').update(Buffer.concat(asked)).digest('hex');
  const venv = join(root, '.venvs', name);
  const stamp = join(venv, 'requirements.sha256');
  const isMade = () =>
    existsSync(join(venv, 'bin/python')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isMade()) return venv;
  await withLock(`${venv}.lock`, () => {
    if (isMade()) return;
    console.error(`creating the venv .venvs/${name}`);
    run(findUv(), ['venv', '--quiet', '--clear', '--no-project', '--python', kind.python(), venv]);
    installInto(venv, kind, requirements);
    writeFileSync(stamp, wanted);
  });
  return venv;
}

function installInto(venv, { overrides }, requirements, ...more) {
  const from = ['--requirements', requirements, ...overrides.flatMap((file) => ['--overrides', file])];
  run(findUv(), ['pip', 'install', '--quiet', '--python', venv, ...from, ...more]);
}

/**
 * Runs `work` while this process holds `lock`, a file with the holder's process id. Takes over the lock of a dead
 * process.
 */
export async function withLock(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isDead(lock)) rmSync(lock, { force: true });
      else await sleep(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isDead(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')) || process.pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * This process's environment with uv and the CPython 3.13 on PATH. uv downloads no other Python. Python's bytecode is
 * cached, which saves seconds at each start, but outside of the tested folders.
 */
export function environment() {
  const folders = [findUv(), findPython313()].map(dirname);
  const { PYTHONDONTWRITEBYTECODE: _, ...env } = process.env;
  return {
    ...env,
    UV_PYTHON_DOWNLOADS: 'never',
    PYTHONPYCACHEPREFIX: join(root, '.venvs', 'bytecode'),
    PATH: [...new Set(folders), process.env.PATH].join(delimiter),
  };
}
