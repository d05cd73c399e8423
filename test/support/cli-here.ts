import { vi } from 'vitest';
import { main } from '../../src/cli/main.js';

export interface Ran {
  stdout: string;
  stderr: string;
  exitCode: unknown;
}

/** Runs gymgen in this process, because a process for each of many runs would take too long. One run at a time. */
export async function gymgenHere(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Ran> {
  const before = { cwd: process.cwd(), exitCode: process.exitCode };
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text;
      return true;
    }),
  );
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    await main(['node', 'gymgen', ...args]);
    return { ...said, exitCode: process.exitCode ?? 0 };
  } finally {
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}
