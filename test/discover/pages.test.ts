import { expect, test } from 'vitest';
import { pages } from '../../src/discover/pages.js';
import type { TaskApi } from '../../src/openenv/index.js';

/** A server of tasks of half a kilobyte, which says what is done with it. */
function served(events: string[]): TaskApi {
  const askTaskRange = async (_env: string, split: string, start: number, stop: number) => {
    events.push(`ask ${split} ${start}`);
    await new Promise((resolve) => setTimeout(resolve));
    const read = () => {
      events.push(`read ${split} ${start}`);
      return Array.from({ length: stop - start }, () => ({}));
    };
    return { bytes: (stop - start) * 512, read };
  };
  return { askTaskRange } as unknown as TaskApi;
}

test('a page but for the first is read while the server makes the next three, and no more is asked for', async () => {
  const events: string[] = [];
  const splits = [
    { name: 'train', count: 4200 },
    { name: 'eval', count: 1 },
  ];
  for await (const { split, start } of pages(served(events), 'env', splits)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    events.push(`have ${split.name} ${start}`);
  }
  expect(events).toEqual([
    ...['ask train 0', 'read train 0', 'have train 0', 'ask train 128'],
    ...['ask train 1152', 'ask train 2176', 'ask train 3200', 'ask eval 0', 'read train 128', 'have train 128'],
    ...['read train 1152', 'have train 1152'],
    ...['read train 2176', 'have train 2176'],
    ...['read train 3200', 'have train 3200'],
    ...['read eval 0', 'have eval 0'],
  ]);
});

test('how large the tasks of a split are is known when its first page comes, not when that is read', async () => {
  const events: string[] = [];
  const splits = [
    { name: 'train', count: 1500 },
    { name: 'eval', count: 1500 },
  ];
  const reader = pages(served(events), 'env', splits);
  await reader.next();
  await reader.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(events.filter((event) => event.startsWith('ask'))).toEqual([
    ...['ask train 0', 'ask train 128', 'ask train 1152', 'ask eval 0', 'ask eval 128', 'ask eval 1152'],
  ]);
  expect(events).not.toContain('read train 1152');
  await reader.return(undefined);
});

test('of many short splits, four are asked for at once', async () => {
  const events: string[] = [];
  const splits = Array.from({ length: 9 }, (_, n) => ({ name: `s${n}`, count: 1 }));
  const reader = pages(served(events), 'env', splits);
  for (let n = 0; n < 2; n += 1) await reader.next();
  expect(events).toEqual(
    ['ask s0', 'read s0', 'ask s1', 'ask s2', 'ask s3', 'ask s4', 'ask s5', 'read s1'].map((event) => `${event} 0`),
  );
  await reader.return(undefined);
});

test('no splits have no page', async () => {
  const events: string[] = [];
  for await (const _ of pages(served(events), 'env', [])) throw new Error('a page');
  expect(events).toEqual([]);
});
