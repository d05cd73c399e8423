import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ExecaError, execa } from 'execa';
import { UserError } from '../errors.js';
import { cacheFolder } from './cache.js';

const HOW = 'install uv (https://docs.astral.sh/uv/), or put it on PATH';

/**
 * The path of uv, which runs Python parts in environments of their own: from PATH, else from the cache, else installed
 * there with the Python that is on PATH.
 * @param say told once, where uv has to be installed
 * @throws UserError where there is neither uv nor a Python that can install it
 */
export async function findUv(say: (text: string) => void, signal?: AbortSignal): Promise<string> {
  const found = await uvPath();
  if (found !== null) return found;
  const home = path.join(cacheFolder(), 'uv');
  const uv = cachedUv();
  say('installing uv, which serves the Python part');
  await mkdir(cacheFolder(), { recursive: true });
  const fresh = await mkdtemp(path.join(cacheFolder(), 'uv-'));
  try {
    await install(fresh, signal);
    // Another run may have been quicker, and its uv is as good.
    await rename(fresh, home).catch((error) => access(uv).catch(() => Promise.reject(error)));
    return uv;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new UserError(`uv is not there, and installing it with python3 failed: ${why(cause)}`, { fix: HOW, cause });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** uv as it is there now, on PATH or in the cache; null where it isn't. */
export async function uvPath(): Promise<string | null> {
  const onPath = await execa('uv', ['--version'], { reject: false });
  if (!onPath.failed) return 'uv';
  return access(cachedUv()).then(cachedUv, () => null);
}

function cachedUv(): string {
  return path.join(cacheFolder(), 'uv', 'bin', 'uv');
}

/** The last line of a program that failed, or why there was none. */
function why(cause: unknown): string {
  const said = cause instanceof ExecaError ? String(cause.stderr).trim() : '';
  return said.split('\n').at(-1) || (cause instanceof ExecaError ? cause.shortMessage : String(cause));
}

async function install(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const options = signal ? { cancelSignal: signal } : {};
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const made = await execa('python3', ['-m', 'venv', folder], { ...options, reject: false });
  // Debian's python3 has no ensurepip without python3-venv, but may have pip. uv's wheel is one binary, under bin/.
  if (made.failed) await execa('python3', [...pip, '--target', folder, 'uv'], options);
  else await execa(path.join(folder, 'bin', 'python'), [...pip, 'uv'], options);
}
