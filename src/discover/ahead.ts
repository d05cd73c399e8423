/**
 * Reads a source from now on and one item ahead of its reader, so that the next page is read while the disk is busy with this
 * one. An error of the source comes where its item would have.
 */
export function ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  const read = () => {
    const next = source.next();
    next.catch(() => {}); // told where it is awaited
    return next;
  };
  let next = read();
  return (async function* () {
    try {
      for (let item = await next; !item.done; item = await next) {
        next = read();
        yield item.value;
      }
    } finally {
      await source.return(undefined);
    }
  })();
}
