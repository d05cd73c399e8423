import { expect, test } from 'vitest';
import { pages } from '../../src/discover/pages.js';
import type { TaskApi } from '../../src/openenv/index.js';

/** A server of tasks of 1 KB, which says what is done with it. */
function served(events: string[]): TaskApi {
  const askTaskRange = async (_env: string, _split: string, start: number, stop: number) => {
    events.push(`ask ${start}`);
    await new Promise((resolve) => setTimeout(resolve));
    const read = () => {
      events.push(`read ${start}`);
      return Array.from({ length: stop - start }, () => ({}));
    };
    return { bytes: (stop - start) * 1024, read };
  };
  return { askTaskRange } as unknown as TaskApi;
}

test('a page is read while the server makes the next, and no more than that one is asked for', async () => {
  const events: string[] = [];
  for await (const { start } of pages(served(events), 'env', 'train', 2000)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    events.push(`have ${start}`);
  }
  expect(events).toEqual([
    ...['ask 0', 'ask 128', 'read 0', 'have 0'],
    ...['ask 1152', 'read 128', 'have 128'],
    ...['read 1152', 'have 1152'],
  ]);
});

test('a split of no tasks has no page', async () => {
  const events: string[] = [];
  for await (const _ of pages(served(events), 'env', 'train', 0)) throw new Error('a page');
  expect(events).toEqual([]);
});
