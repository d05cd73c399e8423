/**
 * Takes a step for each item, all at once: the system answers many small questions in the time of one.
 * @returns what the steps give, in the order of the items
 * @throws of those that fail, the failure of the first item
 */
export async function together<T, R>(items: Iterable<T>, step: (item: T) => Promise<R>): Promise<R[]> {
  const settled = await Promise.allSettled([...items].map(step));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
