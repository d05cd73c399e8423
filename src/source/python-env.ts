import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { UserError } from '../errors.js';
import { cachedFolder, folderOfThisRun } from './cache.js';
import { missingPython } from './missing-python.js';
import { projectInputs } from './project-inputs.js';
import { requirementsFile } from './requirements.js';
import { runProgram } from './run-program.js';
import { findUv } from './uv.js';

/** An environment to make with uv. */
interface Wanted {
  /** What it is for, in messages. */
  name: string;
  /** Which Pythons will do, in uv's words. */
  python: string;
  /** Arguments of `uv pip install`. */
  install: string[];
  /** Options of each uv command. */
  options: string[];
  /** Where uv runs. */
  cwd: string;
}

const ANY_PYTHON = '>=3.11';

/** What gymgen itself installs, with the Pythons that each runs on. */
const OWN = {
  agentenv: { name: 'AgentEnv', python: '>=3.11.4' },
  gridsim: { name: 'gridsim', python: ANY_PYTHON },
};

/**
 * The Python of an environment of gymgen's own, with exactly what is locked. No file of the current folder, no setting of
 * uv and no cache of uv has a say: a mirror is named by the environment, for example by UV_DEFAULT_INDEX.
 * @throws UserError with the words of uv if it cannot be made
 */
export async function ownPython(
  name: keyof typeof OWN,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const file = requirementsFile(name);
  const wanted = {
    ...OWN[name],
    install: ['--no-cache', '--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirements', file],
    options: ['--no-config'],
    cwd: '/',
  };
  const make = (fresh: string) => makeEnv(wanted, fresh, say, signal);
  return pythonIn(await cachedFolder(`envs/gymgen/${name}`, await readFile(file, 'utf8'), make));
}

/**
 * The Python of an environment with what a project needs. It is not uv's own environment of the project, which would be
 * written into its folder: the package's may be read-only. It is kept for as long as all that uv reads is the same; if
 * it needs code in other folders, which can change at any time, it is made for this run only.
 * @param project its folder, whose uv settings count
 * @param requirements its `pyproject.toml`, by default, or a requirements file
 * @throws UserError with the words of uv if it cannot be made
 */
export async function pythonEnv(
  project: string,
  say: (text: string) => void,
  signal: AbortSignal,
  requirements = path.join(project, 'pyproject.toml'),
): Promise<string> {
  const name = path.basename(project);
  const { identity, complete } = await projectInputs(project, requirements);
  const python = requirements.endsWith('.toml') ? requiredPython(await readFile(requirements, 'utf8')) : ANY_PYTHON;
  const wanted = { name, python, install: ['--requirements', requirements], options: [], cwd: project };
  const make = (fresh: string) => makeEnv(wanted, fresh, say, signal);
  if (!complete) return pythonIn(await folderOfThisRun(make));
  return pythonIn(await cachedFolder(`envs/projects/${name.replace(/[^\w.-]/g, '_')}`, identity, make));
}

const pythonIn = (folder: string) => path.join(folder, 'bin', 'python');

/** OpenEnv and AgentEnv want 3.11, whatever a project says of older ones. */
function requiredPython(pyproject: string): string {
  try {
    const { project } = parse(pyproject) as { project?: { 'requires-python'?: unknown } };
    const wanted = project?.['requires-python'];
    return typeof wanted === 'string' ? `${ANY_PYTHON},${wanted}` : ANY_PYTHON;
  } catch {
    return ANY_PYTHON; // uv says what is wrong with it
  }
}

async function makeEnv(
  { name, python, install, options, cwd }: Wanted,
  folder: string,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const uv = await findUv(say, signal);
  say(`installing what ${name} needs`);
  const run = (...args: string[]) => runProgram(uv, args, { cwd, signal });
  try {
    await run('venv', ...options, '--quiet', '--relocatable', '--clear', '--no-project', '--python', python, folder);
    await run('pip', 'install', ...options, '--quiet', '--python', pythonIn(folder), ...install);
    await access(pythonIn(folder));
  } catch (cause) {
    signal.throwIfAborted();
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    const missing = missingPython(name, python, said);
    throw (
      missing ??
      new UserError(`uv could not install what ${name} needs`, {
        details: firstAndLast(said.trim().split('\n')),
        cause,
      })
    );
  }
}

/** What failed stands first, and its deepest cause last. */
function firstAndLast(lines: string[]): string[] {
  return lines.length > 5 ? [...lines.slice(0, 1), ...lines.slice(-4)] : lines;
}
