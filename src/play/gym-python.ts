import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { UserError } from '../errors.js';
import { readNoFollow } from '../files.js';
import { isRecord } from '../json/guards.js';
import { LIMITS, overLimit } from '../limits.js';
import type { SetupReporter } from '../reporter.js';
import {
  type BuildOptions,
  cachedFolder,
  createEnvironment,
  folderOfThisRun,
  GYM_PYTHON,
  lockedRequirements,
  ownPython,
  pythonIn,
  runProgram,
} from '../source/index.js';

/** NeMo Gym pins these in the venv of each server, so that all processes of a run have the same. */
const PINNED = ['nemo-gym', 'ray', 'openai'];
/** The first version with environment servers, which the written configs use. */
const OLDEST = [0, 7];

/** A Python environment with NeMo Gym. */
export interface GymPython {
  /** Absolute path of its Python. */
  python: string;
  /** The folder with its programs `gym` and `ray`. */
  programs: string;
}

/**
 * The environment for NeMo Gym, and for servers without further requirements. By default, gymgen installs its locked
 * packages in the cache.
 * @param named a Python with NeMo Gym to use instead
 * @throws UserError if the environment cannot be created, or if the Python lacks NeMo Gym
 */
export async function gymPython(
  named: string | undefined,
  build: BuildOptions,
  reporter: SetupReporter,
  signal: AbortSignal,
): Promise<GymPython> {
  if (named !== undefined) return checkedPython(named, signal);
  const python = await ownPython('nemo-gym', reporter, signal, build);
  return { python, programs: dirname(python) };
}

const PROBE = `
import importlib.metadata, json, sys, sysconfig
print(json.dumps([importlib.metadata.version("nemo-gym"), sys.executable, sysconfig.get_path("scripts")]))`;

async function checkedPython(named: string, signal: AbortSignal): Promise<GymPython> {
  const fix = 'pass a Python that has nemo-gym 0.7 or newer, or leave --python out';
  const probed = await runProgram(named, ['-I', '-c', PROBE], { cwd: '/', reject: false, signal });
  signal.throwIfAborted();
  if (probed.failed) {
    const [reason = ''] = String(probed.stderr || probed.shortMessage)
      .trim()
      .split('\n')
      .slice(-1);
    throw new UserError(`this Python cannot run NeMo Gym: ${reason}`, { where: named, fix });
  }
  const [version, python, programs] = JSON.parse(String(probed.stdout)) as [string, string, string];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === OLDEST[0] && minor < Number(OLDEST[1])) {
    throw new UserError(`NeMo Gym ${version} is too old`, { where: named, fix });
  }
  return { python, programs };
}

/**
 * The Python for a written server: NeMo Gym's own, or an environment with the additional requirements of the server's
 * pyproject.toml.
 * @param folder of the server
 * @throws UserError if its pyproject.toml cannot be read, or if the environment cannot be created
 */
export async function serverPython(
  folder: string,
  gym: GymPython,
  { env = {}, building }: BuildOptions,
  reporter: SetupReporter,
  signal: AbortSignal,
): Promise<string> {
  const more = additionalDependencies(await readPyproject(folder), join(folder, 'pyproject.toml'));
  if (more.length === 0) return gym.python;
  const requirements = [...pinned(await readFile(lockedRequirements('nemo-gym'), 'utf8')), ...more];
  const create = async (fresh: string) => {
    await building?.(fresh);
    const install = ['--compile-bytecode', ...requirements];
    const wanted = { name: basename(folder), python: GYM_PYTHON, install, options: [], cwd: '/', env };
    await createEnvironment(wanted, fresh, reporter, signal);
  };
  if (more.some((each) => LOCAL.test(each))) return pythonIn(await folderOfThisRun(create));
  return pythonIn(await cachedFolder('envs/servers/server', JSON.stringify(requirements), create));
}

async function readPyproject(folder: string): Promise<string> {
  const where = join(folder, 'pyproject.toml');
  const bytes = await readNoFollow(where, LIMITS.configBytes).catch(() => 'not-a-file' as const);
  if (bytes === 'too-large') throw overLimit('configBytes', { where });
  if (bytes === 'not-a-file') throw new UserError('file is missing', { where, fix: 'write the folder again' });
  return bytes.toString();
}

/** A requirement on code in a folder of this machine, which can change at any time. */
const LOCAL = /@\s*(?:\.{0,2}\/|file:)/i;
/** A requirement (PEP 508) starts with a name. Anything else could be an option of uv. */
const REQUIREMENT = /^[a-z0-9][^\n\r]*$/i;
/** NeMo Gym itself, with any version: gymgen decides which one plays. `dev` is for `gym env test` only. */
const ONLY_GYM = /^nemo[-_.]gym(?:\[dev\])?(?:[<>=!~].*)?$/i;

/**
 * Requirements of a server other than NeMo Gym.
 * @param pyproject text of its pyproject.toml
 * @param where path of the file, for messages
 */
export function additionalDependencies(pyproject: string, where: string): string[] {
  let parsed: unknown;
  try {
    parsed = parse(pyproject);
  } catch (cause) {
    throw new UserError('not valid TOML', { where, fix: 'correct it, or write the folder again', cause });
  }
  const project = isRecord(parsed) && isRecord(parsed.project) ? parsed.project : {};
  const all: unknown[] = Array.isArray(project.dependencies) ? project.dependencies : [];
  const more = all.map((each) => String(each).trim()).filter((each) => !ONLY_GYM.test(each.replace(/\s/g, '')));
  const invalid = more.find((each) => !REQUIREMENT.test(each));
  if (invalid === undefined) return more;
  throw new UserError(`not a requirement: ${JSON.stringify(invalid)}`, { where, fix: 'correct project.dependencies' });
}

/** @param lock text of a locked requirements file */
export function pinned(lock: string): string[] {
  const found = [...lock.matchAll(/^([a-z0-9-]+)(?:\[[^\]]*\])?==[^\s\\;]+/gm)];
  return found.filter(([, name]) => PINNED.includes(name as string)).map(([requirement]) => requirement);
}
