import { setMaxListeners } from 'node:events';
import { Interrupted, STOP_SIGNALS, type StopSignal } from '../errors.js';
import { forceExit, heldBy } from '../shutdown.js';

/** Time for an orderly end, which nothing needs to wait for. */
const ORDERLY_MS = 900;
/** Time for what must not be cut off: a commit, or a process that ends. */
const LONGEST_MS = 30_000;
const LOOK_MS = 50;

export interface Interruption {
  /** Aborts with `Interrupted`. */
  signal: AbortSignal;
  /** The command has ended, and said why. */
  release: () => void;
}

/**
 * Stops the work in order on Ctrl-C, SIGTERM or SIGHUP. If that takes longer than a second, gymgen exits anyway, unless a
 * commit is under way or a process has to end: it then says what it waits for. A second signal ends the process at once.
 * @param say prints a line on stderr
 * @param fail prints the interruption as the command's error
 */
export function interruptible(say: (line: string) => void, fail: (reason: Interrupted) => void): Interruption {
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
  // Without a listener, the next signal has its default effect, also while the event loop is busy.
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

/** Looks again and again whether gymgen can exit. Does not keep it from ending by itself. */
function exitSoon(say: (line: string) => void, exit: () => void): void {
  const began = Date.now();
  const told = new Set<string>();
  const look = () => {
    const waited = Date.now() - began;
    if (waited < ORDERLY_MS) return;
    const held = heldBy();
    if (held.length === 0 || waited >= LONGEST_MS) exit();
    for (const what of held.filter((each) => !told.has(each))) {
      told.add(what);
      say(`waiting for ${what}`);
    }
  };
  setInterval(look, LOOK_MS).unref();
}
