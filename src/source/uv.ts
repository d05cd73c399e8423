import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ExecaError } from 'execa';
import { UserError } from '../errors.js';
import { which } from '../files.js';
import { cachedFolder, knownFolder } from './cache.js';
import { requirementsFile } from './requirements.js';
import { runProgram } from './run-program.js';

const HOW = 'install uv (https://docs.astral.sh/uv/), or put it on PATH';
/** Its version, and the hash of each of its files. */
const LOCK = requirementsFile('uv');
const NAME = 'uv';

/**
 * The path of uv, which runs Python parts in environments of their own: from PATH, else from the cache, else installed
 * there, in the locked version, with the Python that is on PATH.
 * @param say called once, if uv has to be installed
 * @throws UserError if there is neither uv nor a Python that can install it
 */
export async function findUv(say: (text: string) => void, signal?: AbortSignal): Promise<string> {
  const onPath = await which('uv');
  if (onPath !== undefined) return onPath;
  const folder = await cachedFolder(NAME, await readFile(LOCK, 'utf8'), async (fresh) => {
    say('installing uv, which serves the Python part');
    try {
      await install(fresh, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new UserError(`uv is not there, and installing it with python3 failed: ${why(cause)}`, { fix: HOW, cause });
    }
  });
  return binary(folder);
}

/** uv as it is there now, on PATH or in the cache; null if it is not. */
export async function uvPath(): Promise<string | null> {
  const onPath = await which('uv');
  if (onPath !== undefined) return onPath;
  const folder = await knownFolder(NAME, await readFile(LOCK, 'utf8'));
  return folder === undefined ? null : binary(folder);
}

const binary = (folder: string) => path.join(folder, 'bin', 'uv');

/** The last line of a program that failed, or why there was none. */
function why(cause: unknown): string {
  if (!(cause instanceof ExecaError)) return cause instanceof Error ? cause.message : String(cause);
  return String(cause.stderr).trim().split('\n').at(-1) || cause.shortMessage;
}

/** Python runs isolated and in `/`: a `venv.py` or a `pip` in the current folder would run in place of its own. */
async function install(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const python = await which('python3');
  if (python === undefined) throw new Error('python3 is not on PATH');
  const options = { cwd: '/', signal };
  const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-cache-dir'];
  const locked = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirement', LOCK];
  const made = await runProgram(python, ['-I', '-m', 'venv', folder], { ...options, reject: false });
  // Debian's python3 has no ensurepip without python3-venv, but may have pip. uv's wheel is one binary, under bin/.
  if (made.failed) await runProgram(python, [...pip, '--target', folder, ...locked], options);
  else await runProgram(path.join(folder, 'bin', 'python'), [...pip, ...locked], options);
}
