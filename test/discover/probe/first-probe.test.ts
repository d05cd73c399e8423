import { expect, test, vi } from 'vitest';
import { found } from '../../support/found.js';
import { observation } from '../../support/served-session.js';
import { days } from '../../support/served-tasks.js';

const clock = vi.hoisted(() => ({ patience: Promise.resolve() }));

vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: () => clock.patience,
}));

/** The requests to a server with one toolset, in order. */
async function asked(reset: { answer: (send: () => void) => void }): Promise<string[]> {
  const events: string[] = [];
  await found({
    splits: { all: days(300, () => ({ toolset: 'a' })) },
    http: ({ path, body }) => {
      const { start, stop } = (body ?? {}) as { start?: number; stop?: number };
      if (path.endsWith('/task_range')) events.push(`tasks ${start} to ${stop}`);
      if (start === 128) secondPage();
      return undefined;
    },
    ws: ({ type }, session) => {
      events.push(type);
      if (type !== 'reset') return undefined;
      const metadata = { task: { id: '@local/mnt/grid-v1/day-0' } };
      reset.answer(() => session.send(observation({}, { metadata })));
      return null;
    },
  });
  return events;
}

let secondPage = () => {};

test('further pages wait for the first probe', async () => {
  clock.patience = new Promise(() => {}); // never resolves
  const events = await asked({ answer: (send) => send() });
  expect(events.indexOf('tasks 128 to 300')).toBeGreaterThan(events.lastIndexOf('step'));
});

test('further pages do not wait for a long probe', async () => {
  clock.patience = Promise.resolve();
  const fetched = new Promise<void>((resolve) => {
    secondPage = resolve;
  });
  const events = await asked({ answer: (send) => void fetched.then(send) });
  expect(events.indexOf('step')).toBeGreaterThan(events.indexOf('tasks 128 to 300'));
});
