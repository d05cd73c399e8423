import { EXIT, systemError } from '../../errors.js';

/** Exit codes of commands whose output is complete. */
const COMPLETE: readonly unknown[] = [undefined, EXIT.done, EXIT.problems];

/**
 * Handles errors of stdout and stderr. `gymgen … | head` closes the pipe early (EPIPE), and a terminal may close (EIO): neither
 * is a failure. If stdout fails in another way, such as on a full disk, the result is lost: gymgen reports it and exits with 2.
 */
export function mayClose({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  stderr.on('error', () => {}); // nowhere to report it
  stdout.once('error', (error: NodeJS.ErrnoException) => {
    stdout.on('error', () => {}); // further errors
    if (error.code === 'EPIPE' || (error.code === 'EIO' && stdout.isTTY)) return;
    const failure = systemError(error);
    if (failure === undefined) throw error;
    stderr.write(`error: cannot write to standard output: ${failure.message}\n  fix: ${failure.fix}\n`);
    process.once('exit', () => {
      if (COMPLETE.includes(process.exitCode)) process.exitCode = EXIT.failed;
    });
  });
}
