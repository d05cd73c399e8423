import v8 from 'node:v8';
import { interruptible } from './signals.js';
import { showError } from './ui/show-error.js';
import { Terminal, type TerminalOptions } from './ui/terminal.js';

export type UiFlags = Partial<TerminalOptions>;

/** Runs one command: with a terminal, with a signal that Ctrl-C, SIGTERM and SIGHUP abort, and with its failure told and its exit code set. */
export async function run(
  flags: UiFlags,
  work: (terminal: Terminal, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  v8.setFlagsFromString('--semi-space-growth-factor=1'); // rows stream, so little lives long: 20 MB less at the peak
  const { json = false, quiet = false, verbose = false } = flags;
  const terminal = new Terminal({ json, quiet, verbose });
  const { signal, release } = interruptible(
    (line) => terminal.note(line),
    (reason) => void showError(reason, terminal),
  );
  try {
    await work(terminal, signal);
  } catch (error) {
    // What fails because of the interruption is not the news: the interruption is.
    process.exitCode = showError(signal.aborted ? signal.reason : error, terminal);
  } finally {
    release();
    terminal.clear();
  }
}
