import { setMaxListeners } from 'node:events';
import { Interrupted } from '../errors.js';

/**
 * A signal that aborts with `Interrupted` on Ctrl-C or SIGTERM, so that what is under way ends in order. The second one
 * ends the process at once.
 */
export function interruptible(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // each request and session listens while it is under way
  const onSignal = (name: NodeJS.Signals) => {
    release();
    controller.abort(new Interrupted(name as 'SIGINT' | 'SIGTERM'));
  };
  const release = () => {
    process.removeListener('SIGINT', onSignal);
    process.removeListener('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { signal: controller.signal, release };
}
