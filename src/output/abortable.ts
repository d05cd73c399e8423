/** The same items, but an abort ends the wait for the next one at once, whatever the source is busy with. */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let waiting = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      waiting = true;
      const next = await orAbort(iterator.next(), signal);
      waiting = false;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // A source that is still busy answers this only when it is done with that: its own signal ends it, not our patience.
    const ended = Promise.resolve(iterator.return?.()).catch(() => undefined);
    if (!waiting) await ended;
  }
}

/** One listener a wait: a race against one promise that lives as long as the run would collect them all. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
