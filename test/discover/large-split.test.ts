import { describe, expect, test } from 'vitest';
import { discover } from '../../src/discover/index.js';
import { discoverAll, discoverOptions, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { days } from '../support/served-tasks.js';
import { type Asked, StandIn } from '../support/stand-in.js';

refuseWarnings();

const COUNT = 400;
const prompt = (number: number) => `Day ${number}: "${'é 12.5\n'.repeat(15_000)}"`;
/** 48 MB. */
const splits = { train: days(COUNT, (number) => ({ prompt: prompt(number) })) };

function isRangeWith({ path, body }: Asked, index: number): boolean {
  if (!path.endsWith('/task_range')) return false;
  const { start, stop } = body as { start: number; stop: number };
  return start <= index && index < stop;
}

describe('a large split', () => {
  test('is read completely', async () => {
    const server = await StandIn.start({ splits });
    const { tasks } = await discoverAll(server.url);
    expect(tasks.map(({ index }) => index)).toEqual([...Array(COUNT).keys()]);
    for (const task of tasks) expect(`${task.prompt}` === prompt(task.index), `prompt of ${task.index}`).toBe(true);
  });

  test.each([
    ['an error', { status: 500, body: 'Internal Server Error' }],
    ['invalid JSON', { body: '{"tasks":[NaN]}' }],
  ])('with a task that the server cannot return names the task: %s', async (_, answer) => {
    const server = await StandIn.start({ splits, http: (asked) => (isRangeWith(asked, 391) ? answer : undefined) });
    expect(await failureOf(discoverAll(server.url))).toContain('the server cannot return task train[391]');
  });

  test('may be abandoned half-way', async () => {
    const server = await StandIn.start({ splits });
    const discovery = await discover(server.url, discoverOptions(), new Said());
    const [train] = discovery.splits;
    for await (const page of discovery.tasks(train as never)) if ((page[0]?.index ?? 0) > 300) break;
    await discovery.close();
    await server.idle();
  });
});
