import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** A process, told from a later one with the same pid by when it started, where the system says so (Linux). */
export const ProcessOwner = z.object({ pid: z.int().positive(), started: z.string().optional() });
export type ProcessOwner = z.infer<typeof ProcessOwner>;

export function currentProcess(): ProcessOwner {
  const started = procStat(process.pid)?.started;
  return { pid: process.pid, ...(started !== undefined && { started }) };
}

/** Whether it still runs. After a `kill -9`, or in a new container with the same pids, it doesn't. */
export function isRunning(owner: ProcessOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it is there, and someone else's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = procStat(owner.pid);
  if (!now) return true;
  return now.state !== 'Z' && (owner.started === undefined || owner.started === now.started);
}

function procStat(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    // proc(5): the name in parentheses may hold anything; state is the first field after it, starttime the 20th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
