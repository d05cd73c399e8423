/**
 * Starts reading a source at once and stays `count` items ahead of the reader, so that the source is never idle while an item is
 * processed. A failure of the source is thrown when its item is read.
 */
export function prefetch<T>(source: AsyncGenerator<T>, count: number): AsyncGenerator<T> {
  const items: Promise<IteratorResult<T>>[] = [];
  const request = () => {
    const item = source.next();
    item.catch(() => {}); // thrown when the item is read
    items.push(item);
  };
  while (items.length < count) request();
  return (async function* () {
    try {
      for (;;) {
        request();
        const item = (await items.shift()) as IteratorResult<T>;
        if (item.done) return;
        yield item.value;
      }
    } finally {
      await source.return(undefined);
    }
  })();
}
