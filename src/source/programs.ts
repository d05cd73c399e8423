import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.js';
import { which } from '../files.js';
import type { SetupReporter } from '../reporter.js';
import { cleanOnForcedExit } from '../shutdown.js';
import { cachedFolder, knownFolder } from './cache.js';

/** Time between SIGTERM and SIGKILL: an interruption must end gymgen within a second. */
const TERM_MS = 500;

export interface ProgramOptions {
  cwd: string;
  /** Added to the environment of this process. */
  env?: Record<string, string>;
  /** Whether the program also gets the environment of this process. Default: true. */
  extendEnv?: boolean;
  stdin?: 'ignore';
  /** Text for the standard input of the program. */
  input?: string;
  reject?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a program to its end, in its own process group. If the run is interrupted, the whole group ends: a signal to the
 * program alone would leave its children running.
 * @throws ExecaError if the program fails, unless `reject` is false
 */
export async function runProgram(program: string, args: string[], { signal, ...options }: ProgramOptions) {
  const { execa } = await import('execa');
  signal?.throwIfAborted();
  const child = execa(program, args, { ...options, detached: true });
  const kill = () => killGroup(child.pid, 'SIGKILL');
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    killGroup(child.pid, 'SIGTERM');
    timer = setTimeout(kill, TERM_MS);
  };
  const release = cleanOnForcedExit(kill);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await child;
  } finally {
    release();
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    if (signal?.aborted) kill();
  }
}

/** Signals a process group. Does nothing if the group has ended. */
export function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal);
  } catch {
    // the group has ended
  }
}

/** The lock file of packages that gymgen itself installs: versions and hashes. `scripts/lock.mjs` generates them. */
export function lockedRequirements(name: 'uv' | 'agentenv' | 'gridsim' | 'nemo-gym' | 'build' | 'packaging'): string {
  return fileURLToPath(new URL(`../../requirements/${name}.txt`, import.meta.url));
}

const UV = 'uv';
const UV_LOCK = lockedRequirements('uv');

/** Finds uv on PATH or in the cache. Installs nothing. */
export async function findUv(): Promise<string | undefined> {
  const onPath = await which('uv');
  if (onPath !== undefined) return onPath;
  const folder = await knownFolder(UV, await readFile(UV_LOCK, 'utf8'));
  return folder === undefined ? undefined : uvIn(folder);
}

/**
 * Finds uv on PATH or in the cache; else installs the locked version in the cache, with the Python on PATH.
 * @throws UserError if there is neither uv nor a Python that can install it
 */
export async function ensureUv(reporter: SetupReporter, signal?: AbortSignal): Promise<string> {
  const onPath = await which('uv');
  if (onPath !== undefined) return onPath;
  const folder = await cachedFolder(UV, await readFile(UV_LOCK, 'utf8'), async (fresh) => {
    const installed = installing('uv', reporter);
    try {
      await installUv(fresh, signal);
      installed();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new UserError(`uv not found, and installing it with python3 failed: ${reasonOf(cause)}`, {
        fix: 'install uv (https://docs.astral.sh/uv/), or put it on PATH',
        cause,
      });
    }
  });
  return uvIn(folder);
}

/**
 * Reports that an installation begins.
 * @returns a function that reports its end, with the time that it took
 */
export function installing(what: string, reporter: SetupReporter): () => void {
  const began = performance.now();
  reporter.progress({ phase: 'install', what });
  return () => {
    reporter.progress({ phase: 'step', what: `preparing ${what}` }); // it is not in its place yet
    reporter.note?.(`installed ${what} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  };
}

const uvIn = (folder: string) => path.join(folder, 'bin', 'uv');

async function installUv(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const python = await which('python3');
  if (python === undefined) throw new Error('python3 is not on PATH');
  // Isolated and in `/`, or a venv.py or a pip in the current folder would run instead.
  const options = { cwd: '/', signal };
  const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-cache-dir'];
  const locked = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--requirement', UV_LOCK];
  const venv = await runProgram(python, ['-I', '-m', 'venv', folder], { ...options, reject: false });
  // Without the package python3-venv, Debian's python3 creates no venv, but may have pip. uv's wheel is one binary, in bin/.
  if (venv.failed) await runProgram(python, [...pip, '--target', folder, ...locked], options);
  else await runProgram(path.join(folder, 'bin', 'python'), [...pip, ...locked], options);
}

/** The last line that a failed program wrote to standard error, or the error's message. */
function reasonOf(cause: unknown): string {
  const { stderr, shortMessage, message } = cause as { stderr?: unknown; shortMessage?: string; message?: string };
  return (
    String(stderr ?? '')
      .trim()
      .split('\n')
      .at(-1) ||
    (shortMessage ?? message ?? String(cause))
  );
}
