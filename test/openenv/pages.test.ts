import { expect, test } from 'vitest';
import { pages, type TaskApi } from '../../src/openenv/index.js';

const TASK_BYTES = 512;

/** A server of tasks of half a kilobyte, which records its requests. */
class Served {
  readonly asked: string[] = [];

  get api(): TaskApi {
    const taskPage = async (_env: string, split: string, start: number, stop: number) => {
      this.asked.push(`${split} ${start}`);
      await tick();
      const tasks = Array.from({ length: stop - start }, () => ({}));
      return { tasks, bytes: tasks.length * TASK_BYTES };
    };
    return { taskPage } as unknown as TaskApi;
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve));

async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await tick();
}

test('all tasks come in order, in pages of half a megabyte after a short first page', async () => {
  const splits = [
    { name: 'train', count: 3000 },
    { name: 'eval', count: 1 },
  ];
  const got: string[] = [];
  for await (const { split, start, tasks } of pages(new Served().api, 'env', splits)) {
    got.push(`${split.name} ${start} ${tasks.length}`);
  }
  expect(got).toEqual(['train 0 128', 'train 128 1024', 'train 1152 1024', 'train 2176 824', 'eval 0 1']);
});

test('two pages are requested ahead of the reader, across splits', async () => {
  const served = new Served();
  const splits = [
    { name: 'train', count: 1500 },
    { name: 'eval', count: 4000 },
  ];
  const reader = pages(served.api, 'env', splits);
  await reader.next();
  await settled();
  expect(served.asked).toEqual(['train 0', 'train 128', 'train 1152']);
  await reader.next();
  await settled();
  expect(served.asked.slice(3)).toEqual(['eval 0']);
  await reader.return(undefined);
});

test('later pages of a split wait until its first page shows how large its tasks are', async () => {
  const served = new Served();
  const reader = pages(served.api, 'env', [{ name: 'train', count: 5000 }]);
  const first = reader.next();
  expect(served.asked).toEqual(['train 0']);
  await first;
  await settled();
  expect(served.asked).toEqual(['train 0', 'train 128', 'train 1152']);
  await reader.return(undefined);
});

test('a page that fails is reported in its turn', async () => {
  const served = new Served();
  const { api } = served;
  const { taskPage } = api;
  api.taskPage = async (env, split, start, stop) => {
    if (start > 128) throw new Error(`no ${start}`);
    return taskPage(env, split, start, stop);
  };
  const reader = pages(api, 'env', [{ name: 'train', count: 5000 }]);
  expect((await reader.next()).value?.start).toBe(0);
  expect((await reader.next()).value?.start).toBe(128);
  await expect(reader.next()).rejects.toThrow('no 1152');
});

test('a failure that nobody reads is not an unhandled rejection', async () => {
  const served = new Served();
  const { api } = served;
  const { taskPage } = api;
  api.taskPage = (env, split, start, stop) =>
    start > 0 ? Promise.reject(new Error('no')) : taskPage(env, split, start, stop);
  const reader = pages(api, 'env', [{ name: 'train', count: 5000 }]);
  await reader.next();
  await settled();
  await reader.return(undefined);
});

test('no splits have no pages', async () => {
  const served = new Served();
  for await (const _ of pages(served.api, 'env', [])) throw new Error('a page');
  expect(served.asked).toEqual([]);
});
