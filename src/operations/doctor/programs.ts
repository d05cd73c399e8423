import { runProgram } from '../../source/index.js';

/** Something on this machine that gymgen or the written servers use. */
export interface Check {
  name: string;
  /** What it is for. */
  use: string;
  /** Version and path, or the amount; null if it is missing. */
  found: string | null;
  /** Why it counts as missing, if not just because it was not found. */
  problem?: string;
  /** How to get it on this machine. */
  fix?: string;
  /** Whether it must be there. False for what gymgen or uv can install itself. */
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
    env: { PYTHONSAFEPATH: '1', ...env }, // import no module of the current folder
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
