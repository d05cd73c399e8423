import path from 'node:path';
import { UserError } from '../../errors.js';
import { runProgram } from '../../source/index.js';

/** What the programs of a closure need. */
export interface Tools {
  uv: string;
  /** An empty folder, so that no project's settings apply. */
  cwd: string;
  signal: AbortSignal;
  /** More variables. */
  env?: Record<string, string>;
}

/** Lines of a failed program that a message shows. */
const SHOWN = 12;

/**
 * Runs uv. Environment variables such as UV_DEFAULT_INDEX choose a mirror; no file of the user is read.
 * @param problem what failed, for the message
 * @returns what it printed
 * @throws UserError with uv's message
 */
export async function runUv(
  args: string[],
  problem: string,
  fix: string,
  { uv, cwd, signal, env = {} }: Tools,
): Promise<string> {
  const run = await runProgram(uv, args, {
    cwd,
    signal,
    stdin: 'ignore',
    reject: false,
    env: { NO_COLOR: '1', ...env },
  });
  signal.throwIfAborted();
  if (!run.failed) return run.stdout;
  throw new UserError(problem, { details: wordsOf(String(run.stderr), cwd), fix, cause: run });
}

/** The lines of a program's output that are not blank, without the paths of the temporary folder. */
function wordsOf(output: string, cwd: string): string[] {
  const parent = path.dirname(cwd);
  const lines = output
    .replaceAll(`file://${parent}/`, '')
    .replaceAll(`${parent}/`, '')
    .split('\n')
    .map((line) => line.trim().slice(0, 500))
    .filter((line) => line !== '');
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN - 3), '…', ...lines.slice(-2)] : lines;
}
