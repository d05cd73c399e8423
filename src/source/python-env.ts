import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { UserError } from '../errors.js';
import { cacheFolder } from './cache.js';
import { findUv } from './uv.js';

/**
 * The Python of an environment with what a project needs, made by uv in the cache when it is not there. It is not uv's
 * own environment of the project, which would be written into its folder: the package's may be read-only.
 * @param project folder of a pyproject.toml, whose dependencies and uv settings count
 * @throws UserError with the last lines of uv where it can't be made
 */
export async function pythonEnv(project: string, say: (text: string) => void, signal: AbortSignal): Promise<string> {
  const pyproject = path.join(project, 'pyproject.toml');
  const digest = createHash('sha256')
    .update(await readFile(pyproject))
    .digest('hex')
    .slice(0, 16);
  const home = path.join(cacheFolder(), 'envs', `${path.basename(project)}-${digest}`);
  const python = path.join(home, 'bin', 'python');
  if (await exists(python)) return python;

  const uv = await findUv(say, signal);
  say(`installing what ${path.basename(project)} needs, for this and later runs`);
  await mkdir(path.dirname(home), { recursive: true });
  const fresh = await mkdtemp(`${home}-`);
  const run = (...args: string[]) => execa(uv, args, { cwd: project, cancelSignal: signal });
  try {
    await run('venv', '--quiet', '--relocatable', '--clear', '--python', '>=3.11', fresh);
    await run('pip', 'install', '--quiet', '--python', path.join(fresh, 'bin', 'python'), '--requirements', pyproject);
    // Another run may have been quicker, and its environment is as good.
    await rename(fresh, home).catch(async (error) => {
      if (!(await exists(python))) throw error;
    });
    return python;
  } catch (cause) {
    signal.throwIfAborted();
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    throw new UserError(`uv could not install what ${path.basename(project)} needs`, {
      details: said.trim().split('\n').slice(-5),
      cause,
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
