import { setMaxListeners } from 'node:events';
import v8 from 'node:v8';
import { Interrupted, STOP_SIGNALS, type StopSignal } from '../errors.js';
import type { Flags } from '../options/index.js';
import { forceExit, heldBy } from '../shutdown.js';
import { showError, withWritten } from './ui/error.js';
import { sentence, Terminal } from './ui/terminal.js';

/** Time for the work to end after a signal. */
const ORDERLY_MS = 900;
/** Time for work that must not be cut off, such as a commit. */
const LONGEST_MS = 30_000;
const POLL_MS = 50;
/** A Ctrl-C in a terminal reaches gymgen several times if npm started it: npm passes on the signals that it gets. */
const BURST_MS = 200;

/** Runs a command: shows its error, sets the exit code, and aborts the signal on Ctrl-C, SIGTERM and SIGHUP. */
export async function run(
  { json = false, quiet = false, verbose = false }: Pick<Flags, 'json' | 'quiet' | 'verbose'>,
  work: (terminal: Terminal, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // Rows stream: a young generation of 4 MB (see bin/gymgen.cjs) holds the pages that are being read. With 2 MB they
  // survive it, and a run takes a sixth more time; with more than 4 MB it takes 40 MB more. Helper threads only slow it
  // down, and free the bodies of responses too late if the machine is busy.
  v8.setFlagsFromString('--semi-space-growth-factor=1 --no-parallel-scavenge --no-concurrent-array-buffer-sweeping');
  const terminal = new Terminal({ json, quiet, verbose });
  const { signal, release } = interruptible({
    began: () => terminal.end(),
    say: (line) => terminal.note(sentence(line)),
    fail: (reason) => void showError(reason, terminal),
  });
  try {
    await work(terminal, signal);
  } catch (error) {
    // An interruption makes other work fail, too; report only the interruption.
    process.exitCode = showError(signal.aborted ? withWritten(signal.reason) : error, terminal);
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

interface InterruptionDisplay {
  /** Called at the signal. */
  began: () => void;
  /** Prints a line to stderr. */
  say: (line: string) => void;
  /** Prints the interruption as the command's error. */
  fail: (reason: Interrupted) => void;
}

/**
 * Stops the work in order on Ctrl-C, SIGTERM or SIGHUP. If that takes longer than a second, gymgen exits anyway, unless a
 * commit is under way or a process has to end; it then reports what it waits for. A second signal ends the process at once.
 */
function interruptible({ began, say, fail }: InterruptionDisplay): Interruption {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // each request and session listens while it is under way
  let ended = false;
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) return;
    setTimeout(ignore, BURST_MS).unref();
    const reason = new Interrupted(name as StopSignal);
    began();
    exitSoon(say, () => {
      if (!ended) fail(heldBy().length > 0 ? reason : withWritten(reason));
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
      say(`waiting for ${what}; press Ctrl-C again to end at once`);
    }
  };
  setInterval(poll, POLL_MS).unref();
}
