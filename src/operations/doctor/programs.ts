import { delimiter } from 'node:path';
import { absoluteFolders } from '../../files.js';
import { runProgram } from '../../source/index.js';

/** Something on this machine that gymgen or the written servers use. */
export interface Check {
  name: string;
  /** What it is for. */
  use: string;
  /** Version and path, free disk space, or state of the port; null if missing. */
  found: string | null;
  /** Why the need counts as missing, unless it was simply not found. */
  problem?: string;
  /** How to get it on this machine. */
  fix?: string;
  /** False if gymgen or uv can install it when needed. */
  needed: boolean;
  /** A problem with what was found. */
  warning?: string;
}

export interface LineOptions {
  signal: AbortSignal;
  cwd?: string;
  env?: Record<string, string>;
}

/** What a program prints; null if it fails or does not exist. It runs in `/`, unless the current folder matters to it. */
export async function outputOf(program: string, args: string[], options: LineOptions): Promise<string | null> {
  const { signal, cwd = '/', env = {} } = options;
  const run = await runProgram(program, args, {
    cwd,
    // No module or program of the current folder may run. uv runs each Python on PATH.
    env: { PYTHONSAFEPATH: '1', ...env, PATH: absoluteFolders(env.PATH).join(delimiter) },
    signal,
    stdin: 'ignore',
    reject: false,
  });
  signal.throwIfAborted();
  return run.failed ? null : run.stdout.trim();
}

/** The first line that a program prints; null if it fails or does not exist. */
export async function firstLineOf(program: string, args: string[], options: LineOptions): Promise<string | null> {
  return (await outputOf(program, args, options))?.split('\n')[0] ?? null;
}
