import { expect, test } from 'vitest';
import { ahead } from '../../src/discover/ahead.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));
const one = () => 1;

/** Numbers from 0, and how many were taken of them. */
function numbers(count: number, failAt = Number.POSITIVE_INFINITY) {
  const source = {
    taken: 0,
    ended: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (let n = 0; n < count; n += 1) {
          await tick();
          if (n === failAt) throw new Error(`no ${n}`);
          source.taken += 1;
          yield n;
        }
      } finally {
        source.ended = true;
      }
    },
  };
  return source;
}

test.each([1, 2, 3, 1000])('all items come in order, with a bound of %d', async (bound) => {
  const got: number[] = [];
  for await (const n of ahead(numbers(50), one, bound)) {
    got.push(n);
    if (n % 7 === 0) await tick();
  }
  expect(got).toEqual([...Array(50).keys()]);
});

test('it reads ahead, but not past its bound', async () => {
  const source = numbers(50);
  const reader = ahead(source, one, 5);
  await reader.next();
  for (let n = 0; n < 20; n += 1) await tick();
  expect(source.taken).toBe(6);
  await reader.return(undefined);
  expect(source.ended).toBe(true);
});

test('one item always may wait, however large', async () => {
  const got: number[] = [];
  for await (const n of ahead(numbers(5), () => 1e9, 1)) got.push(n);
  expect(got).toEqual([0, 1, 2, 3, 4]);
});

test('a failure comes where its item would have', async () => {
  const got: number[] = [];
  const read = async () => {
    for await (const n of ahead(numbers(5, 3), one, 100)) got.push(n);
  };
  await expect(read()).rejects.toThrow('no 3');
  expect(got).toEqual([0, 1, 2]);
});

test('a failure that nobody comes to read is no unhandled rejection', async () => {
  const reader = ahead(numbers(5, 1), one, 100);
  await reader.next();
  await reader.return(undefined);
});
