import { execa } from 'execa';
import { cleanOnForcedExit } from '../shutdown.js';

/** For an orderly end after an interruption, which is to end gymgen within a second. */
const TERM_MS = 500;

export interface ProgramOptions {
  cwd: string;
  /** Added to the environment's. */
  env?: Record<string, string>;
  stdin?: 'ignore';
  reject?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a program to its end, in a process group of its own. If it is interrupted, all that it started ends too: a signal to
 * the program alone would leave its children running.
 * @throws ExecaError if it fails, unless `reject` is false
 */
export async function runProgram(program: string, args: string[], { signal, ...options }: ProgramOptions) {
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

/** Signals the leader of a process group, and all that it started. */
export function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal);
  } catch {
    // it is gone
  }
}
