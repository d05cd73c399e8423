import { describe, expect, test } from 'vitest';
import { type ListedTask, readDescriptor } from '../../../src/discover/listing.js';
import { Toolsets } from '../../../src/discover/probe/toolsets.js';
import { Said } from '../../support/discovered.js';
import { failureOf } from '../../support/failure-of.js';
import { byNumber, failureFrom, found, onReset } from '../../support/found.js';
import { refuseWarnings } from '../../support/leaks.js';
import { day, days, type ServedTool, tool } from '../../support/served-tasks.js';

refuseWarnings();

const END = tool('end_turn');
const declared = (toolset: string) => ({ toolset });

describe('a toolset that tasks declare', () => {
  test('is probed once, at its first task', async () => {
    const splits = { all: days(200, () => declared('grid')), train: days(100, () => declared('grid')) };
    const { server, toolsets } = await found({ splits });
    expect(server.resets).toEqual(['all[0]']);
    expect(toolsets).toEqual(['toolset:grid: submit_schedule end_turn']);
  });

  test('is probed at its own first task', async () => {
    const splits = { all: days(200, (number) => declared(number < 150 ? 'a' : 'b')) };
    const { server, toolsets, tasks } = await found({
      splits,
      turns: byNumber((number) => [[tool(number < 150 ? 'one' : 'two'), END]]),
    });
    expect(server.resets.sort()).toEqual(['all[0]', 'all[150]']);
    expect(toolsets).toEqual(['toolset:a: one end_turn', 'toolset:b: two end_turn']);
    expect(tasks[149]?.toolset.key).toBe('toolset:a');
    expect(tasks[150]?.toolset.key).toBe('toolset:b');
    // The same object is serialized once.
    expect(tasks[199]?.toolset).toBe(tasks[150]?.toolset);
  });

  test('can be mixed with tasks that declare none', async () => {
    const splits = { all: days(100, (number) => (number % 2 ? declared('solver') : {})) };
    const { server, toolsets } = await found({ splits });
    expect(toolsets).toEqual(['agent:solver: submit_schedule end_turn', 'toolset:solver: submit_schedule end_turn']);
    expect(server.resets.sort()).toEqual(['all[0]', 'all[1]', 'all[50]', 'all[98]']);
  });

  test('is one of up to 1,000', async () => {
    const splits = { train: days(1001, (number) => declared(`t${number}`)) };
    const probed: string[] = [];
    const tasks = splits.train.map((task, index) => readDescriptor(task, 'train', index));
    const none = async function* () {};
    const toolsets = new Toolsets(
      async ({ id }) => {
        probed.push(id);
        return { turns: [[]], identified: true };
      },
      { near: none, after: none, every: none, total: tasks.length },
      { probes: 32, splits: ['train'] },
      new Said(),
    );
    for (const task of tasks.slice(0, 1000)) await toolsets.find(task);
    expect(await failureOf(toolsets.find(tasks[1000] as ListedTask))).toMatch(
      /tasks name more than 1000 toolsets or agents\nat: train\[1000\] 'day-1000'/,
    );
    expect(probed).toHaveLength(1000);
  });
});

describe('tools of an undeclared toolset', () => {
  test('are learned from the first task, and the middle and last task of the largest split', async () => {
    const { server, toolsets } = await found({ splits: { train: days(50), all: days(100), eval: days(10) } });
    expect(server.resets.sort()).toEqual(['all[50]', 'all[99]', 'train[0]']);
    expect(toolsets).toEqual(['agent:solver: submit_schedule end_turn']);
  });

  test.each([
    [1, ['all[0]']],
    [2, ['all[0]', 'all[99]']],
    [3, ['all[0]', 'all[50]', 'all[99]']],
  ])('are learned from up to %d probes', async (probes, resets) => {
    const { server } = await found({ splits: { all: days(100) } }, { probes });
    expect(server.resets.sort()).toEqual(resets);
  });

  test('belong to an agent, and are learned from its tasks', async () => {
    const agent = (number: number) => ({ agent: number < 60 ? 'solver' : 'critic' });
    const { server, toolsets } = await found({ splits: { all: days(100, agent) } });
    expect(toolsets.map((text) => text.split(': ')[0])).toEqual(['agent:solver', 'agent:critic']);
    // The solver's first and middle task, and its last one among the 64 at the end: 59. The critic's first and last
    // task: its task nearest to the middle is the first.
    expect(server.resets.sort()).toEqual(['all[0]', 'all[50]', 'all[59]', 'all[60]', 'all[99]', 'all[61]'].sort());
  });

  test.each([1, 2, 3, 32])('of a server with %d tasks are learned from each task', async (count) => {
    const { server } = await found({ splits: { all: days(count) } });
    expect(server.resets).toHaveLength(count);
  });

  test('of a task in several splits are learned once', async () => {
    const splits = { all: days(9), train: days(6), eval: [day(6), day(7), day(8)] };
    const { server, tasks, summary } = await found({ splits });
    expect(server.resets.sort()).toEqual(days(9).map((_, index) => `all[${index}]`));
    expect(new Set(tasks.map(({ toolset }) => toolset)).size).toBe(1);
    expect(summary.toolsets[0]?.tasks).toHaveLength(9);
  });
});

describe('tools that differ', () => {
  const turns = byNumber((number) => [[tool(number % 3 ? 'calc' : 'notes'), END]]);

  test('are learned task by task if there are few', async () => {
    const { toolsets, tasks, summary } = await found({ splits: { all: days(9), train: days(9) }, turns });
    expect(toolsets).toEqual([
      'task:@local/srv/envs/grid-v1/day-0: notes end_turn',
      'task:@local/srv/envs/grid-v1/day-1: calc end_turn',
    ]);
    expect(tasks.map(({ toolset }) => toolset.turns[0]?.[0]?.name)).toEqual(
      [...Array(2)].flatMap(() => days(9).map((_, number) => (number % 3 ? 'calc' : 'notes'))),
    );
    expect(summary.toolsets[0]?.tasks.map(({ index }) => index)).toEqual([0, 3, 6]);
  });

  test('stop the run if there are many tasks, with the flags that help', async () => {
    const { failure } = await failureFrom({ splits: { all: days(100), train: days(80) }, turns });
    expect(failure).toMatch(
      /tasks of one agent have different tools: all\[0\] 'day-0' has notes, end_turn, but .* has calc/,
    );
    expect(failure).toMatch(/--probes all to probe every task \(about 100 episodes\) or --probes N/);
    expect(failure).toMatch(/at: agent:solver/);
  });

  test('are learned task by task up to --probes', async () => {
    const { server, toolsets } = await found({ splits: { all: days(40) }, turns }, { probes: 40 });
    expect(server.resets).toHaveLength(40);
    expect(toolsets).toHaveLength(2);
  });

  test('are learned from each task with --probes all', async () => {
    const splits = { all: days(300), train: days(200) };
    const { server, tasks } = await found({ splits, turns }, { probes: Number.POSITIVE_INFINITY });
    expect(new Set(server.resets).size).toBe(server.resets.length);
    expect(server.resets).toHaveLength(300);
    expect(tasks.every(({ index, toolset }) => toolset.turns[0]?.[0]?.name === (index % 3 ? 'calc' : 'notes'))).toBe(
      true,
    );
    expect(server.peak).toBeLessThanOrEqual(8);
  });

  test('are not found among three tasks: --probes all then probes no more', async () => {
    const { server } = await found({ splits: { all: days(300) } }, { probes: Number.POSITIVE_INFINITY });
    expect(server.resets).toHaveLength(3);
  });

  test.each<[string, (number: number) => ServedTool]>([
    ['a description', (number) => ({ name: 'a', description: `Day ${number}.`, input_schema: {} })],
    ['a schema', (number) => tool('a', { maximum: number })],
    ['a spelling', (number) => `{"name":"a","input_schema":{"maximum":${number ? '1' : '1.0'}}}`],
  ])('may differ in %s only', async (_, one) => {
    const { tasks } = await found({ splits: { all: days(2) }, turns: byNumber((number) => [[one(number)]]) });
    expect(tasks[0]?.toolset).not.toBe(tasks[1]?.toolset);
  });
});

describe('the order in which probes end changes nothing', () => {
  const turns = byNumber((number) => [[tool(`t${number % 4}`), END]]);
  test.each([
    ['first to last', (number: number) => number],
    ['last to first', (number: number) => 20 - number],
    ['mixed', (number: number) => (number * 7) % 20],
  ])('%s', async (_, delay) => {
    const ws = onReset(async (number) => void (await new Promise((resolve) => setTimeout(resolve, delay(number)))));
    const { summary } = await found({ splits: { b: days(20), a: days(20) }, turns, ws });
    const toolsets = summary.toolsets.map(({ key, tasks }) => [key, tasks.map(({ split, index }) => split + index)]);
    expect(toolsets).toEqual(
      [0, 1, 2, 3].map((n) => [`task:@local/srv/envs/grid-v1/day-${n}`, [0, 4, 8, 12, 16].map((m) => `b${n + m}`)]),
    );
  });
});
