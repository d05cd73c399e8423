import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { parse } from 'smol-toml';
import { UserError } from '../errors.js';
import { cacheFolder } from './cache.js';
import { missingPython } from './missing-python.js';
import { findUv } from './uv.js';

export interface EnvWish {
  /** What it is for, in messages and in its folder's name. */
  name: string;
  /** The text that says what is in it: another text is another environment. */
  key: string;
  /** Which Pythons will do, in uv's words. */
  python?: string;
  /** Arguments of `uv pip install`. */
  install: string[];
  /** Where uv runs, whose settings count. */
  cwd: string;
}

const ANY_PYTHON = '>=3.11';

/**
 * The Python of an environment with what a project needs. It is not uv's own environment of the project, which would be
 * written into its folder: the package's may be read-only.
 * @param project folder of a pyproject.toml, whose dependencies and uv settings count
 */
export async function pythonEnv(project: string, say: (text: string) => void, signal: AbortSignal): Promise<string> {
  const file = path.join(project, 'pyproject.toml');
  const key = await readFile(file, 'utf8');
  const wish = { name: path.basename(project), key, python: requiredPython(key), cwd: project };
  return await makePythonEnv({ ...wish, install: ['--requirements', file] }, say, signal);
}

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

/**
 * The Python of an environment in the cache, made by uv when it is not there.
 * @throws UserError with the words of uv where it can't be made
 */
export async function makePythonEnv(wish: EnvWish, say: (text: string) => void, signal: AbortSignal): Promise<string> {
  const { name, key, cwd } = wish;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const home = path.join(cacheFolder(), 'envs', `${name.replace(/[^\w.-]/g, '_')}-${digest}`);
  const python = path.join(home, 'bin', 'python');
  if (await exists(python)) return python;

  const uv = await findUv(say, signal);
  say(`installing what ${name} needs, for this and later runs`);
  await mkdir(path.dirname(home), { recursive: true });
  const fresh = await mkdtemp(`${home}-`);
  const run = (...args: string[]) => execa(uv, args, { cwd, cancelSignal: signal });
  try {
    await run(
      'venv',
      '--quiet',
      '--relocatable',
      '--clear',
      '--no-project',
      '--python',
      wish.python ?? ANY_PYTHON,
      fresh,
    );
    await run('pip', 'install', '--quiet', '--python', path.join(fresh, 'bin', 'python'), ...wish.install);
    // Another run may have been quicker, and its environment is as good.
    await rename(fresh, home).catch(async (error) => {
      if (!(await exists(python))) throw error;
    });
    return python;
  } catch (cause) {
    signal.throwIfAborted();
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    const missing = missingPython(name, wish.python ?? ANY_PYTHON, said);
    throw (
      missing ??
      new UserError(`uv could not install what ${name} needs`, {
        details: firstAndLast(said.trim().split('\n')),
        cause,
      })
    );
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** What failed stands first, and its deepest cause last. */
function firstAndLast(lines: string[]): string[] {
  return lines.length > 5 ? [...lines.slice(0, 1), ...lines.slice(-4)] : lines;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
