import { expect, test } from 'vitest';
import { prefetch } from '../../src/openenv/index.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Numbers from 0, with a count of the numbers that were taken. */
class Numbers {
  taken = 0;
  ended = false;

  async *upTo(count: number, failAt = Number.POSITIVE_INFINITY) {
    try {
      for (let n = 0; n < count; n += 1) {
        await tick();
        if (n === failAt) throw new Error(`no ${n}`);
        this.taken += 1;
        yield n;
      }
    } finally {
      this.ended = true;
    }
  }
}

test('prefetching starts before anything is read', async () => {
  const numbers = new Numbers();
  prefetch(numbers.upTo(50), 3);
  for (let n = 0; n < 20; n += 1) await tick();
  expect(numbers.taken).toBe(3);
});

test('all items come in order', async () => {
  const got: number[] = [];
  for await (const n of prefetch(new Numbers().upTo(50), 3)) {
    got.push(n);
    if (n % 7 === 0) await tick();
  }
  expect(got).toEqual([...Array(50).keys()]);
});

test('the count limits how many items are fetched ahead', async () => {
  const numbers = new Numbers();
  const reader = prefetch(numbers.upTo(50), 3);
  await reader.next();
  for (let n = 0; n < 20; n += 1) await tick();
  expect(numbers.taken).toBe(4);
  await reader.return(undefined);
  expect(numbers.ended).toBe(true);
});

test('a failure is thrown in the turn of its item', async () => {
  const numbers = new Numbers();
  const got: number[] = [];
  const read = async () => {
    for await (const n of prefetch(numbers.upTo(5, 3), 3)) got.push(n);
  };
  await expect(read()).rejects.toThrow('no 3');
  expect(got).toEqual([0, 1, 2]);
  expect(numbers.ended).toBe(true);
});

test('a failure that nobody reads is not an unhandled rejection', async () => {
  const reader = prefetch(new Numbers().upTo(5, 1), 3);
  await reader.next();
  await reader.return(undefined);
});
