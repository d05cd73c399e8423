import { setMaxListeners } from 'node:events';
import v8 from 'node:v8';
import { Interrupted, STOP_SIGNALS, type StopSignal } from '../errors.js';
import type { Flags } from '../options/index.js';
import { forceExit, heldBy } from '../shutdown.js';
import { showError } from './ui/error.js';
import { Terminal } from './ui/terminal.js';

/** Time for the work to end after a signal. */
const ORDERLY_MS = 900;
/** Time for work that must not be cut off, such as a commit. */
const LONGEST_MS = 30_000;
const POLL_MS = 50;

/** Runs a command: shows its error, sets the exit code, and aborts the signal on Ctrl-C, SIGTERM and SIGHUP. */
export async function run(
  { json = false, quiet = false, verbose = false }: Pick<Flags, 'json' | 'quiet' | 'verbose'>,
  work: (terminal: Terminal, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // Rows stream, so few objects survive: a small young generation saves 20 MB, and helper threads only slow it down.
  v8.setFlagsFromString('--semi-space-growth-factor=1 --no-parallel-scavenge');
  const terminal = new Terminal({ json, quiet, verbose });
  const { signal, release } = interruptible(
    (line) => terminal.note(line),
    (reason) => void showError(reason, terminal),
  );
  try {
    await work(terminal, signal);
  } catch (error) {
    // An interruption makes other work fail, too; report only the interruption.
    process.exitCode = showError(signal.aborted ? signal.reason : error, terminal);
  } finally {
    release();
    terminal.end();
  }
}

interface Interruption {
  /** Aborts with `Interrupted`. */
  signal: AbortSignal;
  /** Call it when the command has ended and reported its error. */
  release: () => void;
}

/**
 * Stops the work in order on Ctrl-C, SIGTERM or SIGHUP. If that takes longer than a second, gymgen exits anyway, unless a
 * commit is under way or a process has to end; it then reports what it waits for. A second signal ends the process at once.
 * @param say prints a line to stderr
 * @param fail prints the interruption as the command's error
 */
function interruptible(say: (line: string) => void, fail: (reason: Interrupted) => void): Interruption {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // each request and session listens while it is under way
  let ended = false;
  const onSignal = (name: NodeJS.Signals) => {
    ignore();
    const reason = new Interrupted(name as StopSignal);
    exitSoon(say, () => {
      if (!ended) fail(reason);
      forceExit(reason.exitCode);
    });
    controller.abort(reason);
  };
  // Without a listener, the next signal has its default effect, even if the event loop is busy.
  const ignore = () => {
    for (const name of STOP_SIGNALS) process.removeListener(name, onSignal);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  const release = () => {
    ended = true;
    ignore();
  };
  return { signal: controller.signal, release };
}

/** Polls whether gymgen can exit. The timer does not keep the process alive. */
function exitSoon(say: (line: string) => void, exit: () => void): void {
  const began = Date.now();
  const reported = new Set<string>();
  const poll = () => {
    const waited = Date.now() - began;
    if (waited < ORDERLY_MS) return;
    const held = heldBy();
    if (held.length === 0 || waited >= LONGEST_MS) exit();
    for (const what of held.filter((each) => !reported.has(each))) {
      reported.add(what);
      say(`waiting for ${what}`);
    }
  };
  setInterval(poll, POLL_MS).unref();
}
