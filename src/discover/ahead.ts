/**
 * Reads a source ahead of its reader, within a bound and from now on, so that the next page is fetched while this one is
 * written. An error of the source comes where its item would have.
 *
 * @param sizeOf an item's size, in the unit of `bound`
 * @param bound how much may wait; one item always may
 */
export function ahead<T>(source: AsyncIterable<T>, sizeOf: (item: T) => number, bound: number): AsyncGenerator<T> {
  const waiting: T[] = [];
  let size = 0;
  let done = false;
  let failure: { error: unknown } | null = null;
  let wake = () => {};
  const changed = () => wake();
  const change = () => new Promise<void>((resolve) => (wake = resolve));

  const pump = (async () => {
    try {
      for await (const item of source) {
        waiting.push(item);
        size += sizeOf(item);
        changed();
        while (size >= bound && !done) await change();
        if (done) return;
      }
    } catch (error) {
      failure = { error };
    } finally {
      done = true;
      changed();
    }
  })();

  return (async function* () {
    try {
      for (;;) {
        const item = waiting.shift();
        if (item !== undefined) {
          size -= sizeOf(item);
          changed();
          yield item;
        } else if (failure) throw (failure as { error: unknown }).error;
        else if (done) return;
        else await change();
      }
    } finally {
      done = true;
      changed();
      await pump;
    }
  })();
}
