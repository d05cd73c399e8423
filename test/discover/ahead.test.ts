import { expect, test } from 'vitest';
import { ahead } from '../../src/discover/ahead.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Numbers from 0, and how many were taken of them. */
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

test('it begins before there is a reader', async () => {
  const numbers = new Numbers();
  ahead(numbers.upTo(50));
  for (let n = 0; n < 20; n += 1) await tick();
  expect(numbers.taken).toBe(1);
});

test('all items come in order', async () => {
  const got: number[] = [];
  for await (const n of ahead(new Numbers().upTo(50))) {
    got.push(n);
    if (n % 7 === 0) await tick();
  }
  expect(got).toEqual([...Array(50).keys()]);
});

test('one more is read than was asked for', async () => {
  const numbers = new Numbers();
  const reader = ahead(numbers.upTo(50));
  await reader.next();
  for (let n = 0; n < 20; n += 1) await tick();
  expect(numbers.taken).toBe(2);
  await reader.return(undefined);
  expect(numbers.ended).toBe(true);
});

test('a failure comes where its item would have', async () => {
  const numbers = new Numbers();
  const got: number[] = [];
  const read = async () => {
    for await (const n of ahead(numbers.upTo(5, 3))) got.push(n);
  };
  await expect(read()).rejects.toThrow('no 3');
  expect(got).toEqual([0, 1, 2]);
  expect(numbers.ended).toBe(true);
});

test('a failure that nobody comes to read is no unhandled rejection', async () => {
  const reader = ahead(new Numbers().upTo(5, 1));
  await reader.next();
  await reader.return(undefined);
});
