import { describe, expect, test } from 'vitest';
import { type ListedTask, readDescriptor } from '../../src/discover/descriptor.js';
import { Toolsets } from '../../src/discover/toolsets.js';
import { discoverAll, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { failed, observation, type Script } from '../support/served-session.js';
import { day, days, type ServedTask, type ServedTool, TOOLS, tool } from '../support/served-tasks.js';
import { StandIn, type StandInOptions } from '../support/stand-in.js';

refuseWarnings();

const END = tool('end_turn');
const declared = (toolset: string) => ({ toolset });

/** Turns by a task's number: what `day-7` offers. */
const byNumber = (turns: (number: number) => ServedTool[][]) => (task: ServedTask) =>
  turns(Number(/\d+$/.exec(String(task.name))));

/** Plays what a script decides for some tasks, by number; the others go well. */
const onReset =
  (script: (number: number, session: Parameters<Script>[1]) => unknown): Script =>
  ({ type, data }, session) =>
    type === 'reset' ? script(data.index ?? 0, session) : undefined;

async function found(options: StandInOptions, changes = {}) {
  const server = await StandIn.start(options);
  const all = await discoverAll(server.url, changes);
  return { server, ...all };
}

async function failureFrom(options: StandInOptions, changes = {}, said = new Said()) {
  const server = await StandIn.start(options);
  return { failure: await failureOf(discoverAll(server.url, changes, said)), server, said };
}

describe('a toolset that tasks declare', () => {
  test('is played once, at its first task', async () => {
    const splits = { all: days(200, () => declared('grid')), train: days(100, () => declared('grid')) };
    const { server, toolsets } = await found({ splits });
    expect(server.resets).toEqual(['all[0]']);
    expect(toolsets).toEqual(['toolset:grid: submit_schedule end_turn']);
  });

  test('is played where it is first seen, each by itself', async () => {
    const splits = { all: days(200, (number) => declared(number < 150 ? 'a' : 'b')) };
    const { server, toolsets, tasks } = await found({
      splits,
      turns: byNumber((number) => [[tool(number < 150 ? 'one' : 'two'), END]]),
    });
    expect(server.resets.sort()).toEqual(['all[0]', 'all[150]']);
    expect(toolsets).toEqual(['toolset:a: one end_turn', 'toolset:b: two end_turn']);
    expect(tasks[149]?.toolset.key).toBe('toolset:a');
    expect(tasks[150]?.toolset.key).toBe('toolset:b');
    // One object, so that it is serialised once.
    expect(tasks[199]?.toolset).toBe(tasks[150]?.toolset);
  });

  test('and agents that are declared nowhere go side by side', async () => {
    const splits = { all: days(100, (number) => (number % 2 ? declared('solver') : {})) };
    const { server, toolsets } = await found({ splits });
    expect(toolsets).toEqual(['agent:solver: submit_schedule end_turn', 'toolset:solver: submit_schedule end_turn']);
    expect(server.resets.sort()).toEqual(['all[0]', 'all[1]', 'all[50]', 'all[98]']);
  });

  test('is one of a thousand, at most', async () => {
    const splits = { train: days(1001, (number) => declared(`t${number}`)) };
    const played: string[] = [];
    const tasks = splits.train.map((task, index) => readDescriptor(task, 'train', index));
    const none = async function* () {};
    const toolsets = new Toolsets(
      async ({ id }) => {
        played.push(id);
        return { turns: [[]], told: true };
      },
      { near: none, after: none, every: none, total: tasks.length },
      { probes: 32, splits: ['train'] },
      new Said(),
    );
    for (const task of tasks.slice(0, 1000)) await toolsets.of(task);
    expect(await failureOf(toolsets.of(tasks[1000] as ListedTask))).toMatch(
      /more than 1000 toolsets or agents\nat: train\[1000\] 'day-1000'/,
    );
    expect(played).toHaveLength(1000);
  });
});

describe('tools that nothing declares', () => {
  test('are learnt from the first task, and the middle and last of the largest split', async () => {
    const { server, toolsets } = await found({ splits: { train: days(50), all: days(100), eval: days(10) } });
    expect(server.resets.sort()).toEqual(['all[50]', 'all[99]', 'train[0]']);
    expect(toolsets).toEqual(['agent:solver: submit_schedule end_turn']);
  });

  test.each([
    [1, ['all[0]']],
    [2, ['all[0]', 'all[99]']],
    [3, ['all[0]', 'all[50]', 'all[99]']],
  ])('with at most %d plays', async (probes, resets) => {
    const { server } = await found({ splits: { all: days(100) } }, { probes });
    expect(server.resets.sort()).toEqual(resets);
  });

  test('belong to an agent, and are looked for among its tasks', async () => {
    const agent = (number: number) => ({ agent: number < 60 ? 'solver' : 'critic' });
    const { server, toolsets } = await found({ splits: { all: days(100, agent) } });
    expect(toolsets.map((text) => text.split(': ')[0])).toEqual(['agent:solver', 'agent:critic']);
    // The solver's middle; its last of the 64 that end the split is 59. The critic's first, and last; the nearest to the middle is its first.
    expect(server.resets.sort()).toEqual(['all[0]', 'all[50]', 'all[59]', 'all[60]', 'all[99]', 'all[61]'].sort());
  });

  test.each([1, 2, 3, 32])('of a server with %d tasks are learnt by playing each', async (count) => {
    const { server } = await found({ splits: { all: days(count) } });
    expect(server.resets).toHaveLength(count);
  });

  test('of a task in several splits are learnt once', async () => {
    const splits = { all: days(9), train: days(6), eval: [day(6), day(7), day(8)] };
    const { server, tasks, discovery } = await found({ splits });
    expect(server.resets.sort()).toEqual(days(9).map((_, index) => `all[${index}]`));
    expect(new Set(tasks.map(({ toolset }) => toolset)).size).toBe(1);
    expect(discovery.toolsets()[0]?.tasks).toHaveLength(9);
  });
});

describe('tools that differ', () => {
  const turns = byNumber((number) => [[tool(number % 3 ? 'calc' : 'notes'), END]]);

  test('are learnt task by task, where there are few', async () => {
    const { toolsets, tasks, discovery } = await found({ splits: { all: days(9), train: days(9) }, turns });
    expect(toolsets).toEqual([
      'task:@local/srv/envs/grid-v1/day-0: notes end_turn',
      'task:@local/srv/envs/grid-v1/day-1: calc end_turn',
    ]);
    expect(tasks.map(({ toolset }) => toolset.turns[0]?.[0]?.name)).toEqual(
      [...Array(2)].flatMap(() => days(9).map((_, number) => (number % 3 ? 'calc' : 'notes'))),
    );
    expect(discovery.toolsets()[0]?.tasks.map(({ index }) => index)).toEqual([0, 3, 6]);
  });

  test('stop the run where there are many, with the count and the ways on', async () => {
    const { failure } = await failureFrom({ splits: { all: days(100), train: days(80) }, turns });
    expect(failure).toMatch(
      /tasks of one agent have different tools: all\[0\] 'day-0' has notes, end_turn, but .* has calc/,
    );
    expect(failure).toMatch(/--probes all plays every task .* about 100 episodes \(--probes N/);
    expect(failure).toMatch(/at: agent:solver/);
  });

  test('are learnt task by task up to --probes', async () => {
    const { server, toolsets } = await found({ splits: { all: days(40) }, turns }, { probes: 40 });
    expect(server.resets).toHaveLength(40);
    expect(toolsets).toHaveLength(2);
  });

  test('are learnt from each task with --probes all, each once', async () => {
    const splits = { all: days(300), train: days(200) };
    const { server, tasks } = await found({ splits, turns }, { probes: Number.POSITIVE_INFINITY });
    expect(new Set(server.resets).size).toBe(server.resets.length);
    expect(server.resets).toHaveLength(300);
    expect(tasks.every(({ index, toolset }) => toolset.turns[0]?.[0]?.name === (index % 3 ? 'calc' : 'notes'))).toBe(
      true,
    );
    expect(server.peak).toBeLessThanOrEqual(8);
  });

  test('--probes all plays no more than three where they are all alike', async () => {
    const { server } = await found({ splits: { all: days(300) } }, { probes: Number.POSITIVE_INFINITY });
    expect(server.resets).toHaveLength(3);
  });

  test.each<[string, (number: number) => ServedTool]>([
    ['a description', (number) => ({ name: 'a', description: `Day ${number}.`, input_schema: {} })],
    ['a schema', (number) => tool('a', { maximum: number })],
    ['a spelling', (number) => `{"name":"a","input_schema":{"maximum":${number ? '1' : '1.0'}}}`],
  ])('differ in %s, too', async (_, one) => {
    const { tasks } = await found({ splits: { all: days(2) }, turns: byNumber((number) => [[one(number)]]) });
    expect(tasks[0]?.toolset).not.toBe(tasks[1]?.toolset);
  });
});

describe('which play ends first changes nothing', () => {
  const turns = byNumber((number) => [[tool(`t${number % 4}`), END]]);
  test.each([
    ['the first', (number: number) => number],
    ['the last', (number: number) => 20 - number],
    ['any', (number: number) => (number * 7) % 20],
  ])('%s', async (_, delay) => {
    const ws = onReset(async (number) => void (await new Promise((resolve) => setTimeout(resolve, delay(number)))));
    const { discovery } = await found({ splits: { b: days(20), a: days(20) }, turns, ws });
    const toolsets = discovery
      .toolsets()
      .map(({ key, tasks }) => [key, tasks.map(({ split, index }) => split + index)]);
    expect(toolsets).toEqual(
      [0, 1, 2, 3].map((n) => [`task:@local/srv/envs/grid-v1/day-${n}`, [0, 4, 8, 12, 16].map((m) => `b${n + m}`)]),
    );
  });
});

describe('turns', () => {
  const turns = () => [[tool('ask'), END], [tool('answer'), END], [END]];

  test('are all opened, with an empty reply each', async () => {
    const { server, toolsets } = await found({ turns, splits: { train: [day(0)] } });
    expect(toolsets).toEqual(['agent:solver: ask end_turn | answer end_turn | end_turn']);
    expect(server.sessions[0]?.calls).toEqual(['end_turn', 'end_turn', 'end_turn']);
    expect(server.sessions[0]?.received.at(-2)?.data.arguments).toEqual({ response: '' });
  });

  test('are not opened with --probe-turns first', async () => {
    const { server, toolsets } = await found({ turns, splits: { train: [day(0)] } }, { turns: 'first' });
    expect(toolsets).toEqual(['agent:solver: ask end_turn']);
    expect(server.sessions[0]?.calls).toEqual([]);
  });

  test('of one number and other numbers share a toolset where they offer the same: the longest is shown', async () => {
    const longer = byNumber((number) => Array.from({ length: number + 1 }, () => TOOLS));
    const { toolsets } = await found({ turns: longer, splits: { train: days(3) } });
    expect(toolsets).toEqual([`agent:solver: ${Array(3).fill('submit_schedule end_turn').join(' | ')}`]);
  });

  test('end where a turn has no end_turn', async () => {
    const { toolsets } = await found({ turns: () => [[tool('step')]], splits: { train: [day(0)] } });
    expect(toolsets).toEqual(['agent:solver: step']);
  });

  test('that never end are given up', async () => {
    const ws: Script = ({ data }) =>
      data.tool_name === 'end_turn' ? observation({ result: { prompt: 'Again.' }, error: null }) : undefined;
    const { failure, server } = await failureFrom({ ws, splits: { train: [day(0)] } });
    expect(failure).toMatch(/train\[0\] 'day-0': it has more than 100 turns/);
    expect(server.sessions[0]?.calls.length).toBeLessThan(110);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'refuses an empty reply',
      observation({ result: null, error: { error_type: 'execution_error', message: 'a reply is needed' } }),
      /its turn 1 did not end: .*a reply is needed/,
    ],
    ['fails', failed('the verifier crashed'), /its turn 1 did not end: the verifier crashed/],
    [
      'gets an error frame',
      { type: 'error', data: { code: 'EXECUTION_ERROR', message: 'boom' } },
      /EXECUTION_ERROR: boom/,
    ],
  ])('one that %s says so, and how to leave turns out', async (_, answer, told) => {
    const ws: Script = ({ data }) => (data.tool_name === 'end_turn' ? answer : undefined);
    const { failure } = await failureFrom({ ws, splits: { train: [day(0)] } });
    expect(failure).toMatch(told);
    expect(failure).toMatch(/leave the later turns out with --probe-turns first/);
  });
});

describe('an episode that fails', () => {
  const bad = (...numbers: number[]) =>
    onReset((number) => (numbers.includes(number) ? failed(`no day ${number}`) : undefined));

  test('is reported, and the next task tried', async () => {
    const { server, warnings, toolsets } = await found({ splits: { all: days(100) }, ws: bad(0, 99) });
    expect(warnings).toEqual([
      "could not play all[0] 'day-0': its reset failed: no day 0; trying the next task",
      "could not play all[99] 'day-99': its reset failed: no day 99; trying the next task",
    ]);
    expect(server.resets.sort()).toEqual(['all[0]', 'all[1]', 'all[50]', 'all[98]', 'all[99]']);
    expect(toolsets).toHaveLength(1);
  });

  test('three times in a row stops the run, with each task and the own words of the server', async () => {
    const { failure } = await failureFrom({ splits: { all: days(100, () => declared('a')) }, ws: bad(0, 1, 2) });
    expect(failure).toMatch(/tasks could not be played to learn their tools/);
    for (const number of [0, 1, 2])
      expect(failure).toContain(`all[${number}] 'day-${number}': its reset failed: no day ${number}`);
    expect(failure).toMatch(/fix: mend them on the server[\s\S]*--split/);
  });

  test('among few has the tools of the others, where these are alike', async () => {
    const { warnings, tasks } = await found({ splits: { all: days(5) }, ws: bad(2) });
    expect(warnings).toEqual(["could not play all[2] 'day-2': its reset failed: no day 2"]);
    expect(tasks[2]?.toolset).toBe(tasks[1]?.toolset);
  });

  test('among few stops the run, where the others differ', async () => {
    const turns = byNumber((number) => [[tool(`t${number}`)]]);
    const { failure } = await failureFrom({ splits: { all: days(5) }, ws: bad(2), turns });
    expect(failure).toMatch(/could not be played[\s\S]*all\[2\] 'day-2': its reset failed: no day 2/);
  });

  test('of --probes all stops the run in the end', async () => {
    const turns = byNumber((number) => [[tool(`t${number % 2}`)]]);
    const options = { splits: { all: days(100) }, ws: bad(70), turns };
    const { failure } = await failureFrom(options, { probes: Number.POSITIVE_INFINITY });
    expect(failure).toMatch(/all\[70\] 'day-70': its reset failed: no day 70/);
  });

  test('all of few stop the run', async () => {
    expect((await failureFrom({ splits: { all: days(2) }, ws: bad(0, 1) })).failure).toMatch(/no day 0\n.*no day 1/);
    expect((await failureFrom({ splits: { all: days(1) }, ws: bad(0) })).failure).toMatch(/no day 0/);
  });

  test.each<[string, Script, RegExp]>([
    ['ends at the reset', onReset(() => observation({}, { done: true })), /its episode ended at the reset/],
    ['fails without a reason', onReset(() => observation({}, { metadata: { status: 'error' } })), /gives no reason/],
    ['is an error frame', onReset(() => ({ type: 'error', data: {} })), /its reset failed: no code: no message/],
    ['is no frame', onReset(() => 'Traceback'), /its reset failed: not a frame of OpenEnv: Traceback/],
    [
      'closes the session',
      onReset((_, { socket }) => socket.close(1011, 'crash') ?? null),
      /its reset failed: .*1011: crash/,
    ],
    [
      'has ended when its tools are listed',
      ({ data }) => (data.type === 'list_tools' ? failed('the turn took too long', { tools: [] }) : undefined),
      /its tools could not be listed: the turn took too long/,
    ],
    [
      'lists tools with NaN',
      ({ data }) =>
        data.type === 'list_tools' ? '{"type":"observation","data":{"observation":{"tools":[NaN]}}}' : undefined,
      /all\[0\] 'day-0': its tools could not be listed: not a frame .*NaN/,
    ],
    [
      'lists no tools',
      ({ data }) => (data.type === 'list_tools' ? observation({ metadata: {} }) : undefined),
      /its tools could not be listed: the server's list of tools can't be read/,
    ],
    [
      'closes while a turn ends',
      ({ data }, { socket }) => (data.tool_name === 'end_turn' ? (socket.terminate() ?? null) : undefined),
      /its turn 1 did not end: the server closed the session/,
    ],
  ])('one that %s names the task', async (_, ws, told) => {
    const { failure } = await failureFrom({ splits: { all: days(1) }, ws });
    expect(failure).toMatch(told);
    expect(failure).toContain("all[0] 'day-0'");
  });

  test('one that does not answer in time names the task', async () => {
    const { failure } = await failureFrom({ splits: { all: days(1) }, ws: onReset(() => null) }, { resetTimeout: 0.1 });
    expect(failure).toMatch(/all\[0\] 'day-0': its reset failed: no answer within 0.1 s/);
  });
});

describe('a reset that plays another task than asked', () => {
  const playing = (task: unknown, number?: number) =>
    onReset((asked) =>
      number === undefined || asked === number ? observation({}, { metadata: { task } }) : undefined,
    );

  test.each<[string, unknown, RegExp]>([
    [
      'another index',
      { id: 'day-1', split: 'all', index: 1 },
      /all\[0\] 'day-0': the server played another task, all\[1\] 'day-1'/,
    ],
    ['another split', { id: 'day-0', split: 'eval', index: 0 }, /played another task, eval\[0\]/],
    ['another id', { id: '@local/x/day-2', split: 'all', index: 0 }, /played another task, all\[0\] 'day-2'/],
    ['another id alone', { id: 'day-2' }, /played another task, all\[0\] 'day-2'/],
    ['an id that is another number', { id: 9 }, /played another task/],
  ])('%s is found', async (_, task, told) => {
    const splits = { all: days(1) };
    expect((await failureFrom({ splits, ws: playing(task) })).failure).toMatch(told);
  });

  test('a bundle that is served from another place has the same tasks', async () => {
    const { toolsets } = await found({
      splits: { all: days(1) },
      ws: onReset((_, session) => {
        setTimeout(() => session.send(observation({}, { metadata: { task: { id: '@local/mnt/grid-v1/day-0' } } })));
        return null;
      }),
    });
    expect(toolsets).toHaveLength(1);
  });

  test('once is reported, and the next task tried', async () => {
    const ws = playing({ split: 'all', index: 99 }, 0);
    const { warnings } = await found({ splits: { all: days(50) }, ws });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/all\[0\] 'day-0': the server played another task/);
  });

  test.each([null, undefined, {}, 'day-0', { split: 'all' }])('is not told of by %j: said once', async (task) => {
    const { warnings, toolsets } = await found({ splits: { all: days(5) }, ws: playing(task) });
    expect(warnings).toEqual([
      "the server doesn't say which task an episode plays (metadata.task), so that can't be checked",
    ]);
    expect(toolsets).toHaveLength(1);
  });
});

test('an empty list right after a reset is a toolset without tools', async () => {
  const { toolsets } = await found({ turns: () => [[]] });
  expect(toolsets).toEqual(['agent:solver: ']);
});

test('a null description is ""', async () => {
  const { tasks } = await found({ turns: () => [[{ name: 'a', description: null, input_schema: null }]] });
  expect(tasks[0]?.toolset.turns).toEqual([
    [{ name: 'a', description: '', parameters: '{"type":"object","properties":{}}' }],
  ]);
});

test('a list that a server gives otherwise when it is asked again breaks nothing', async () => {
  let times = 0;
  const server = await StandIn.start({
    http: ({ path }) => (path.endsWith('/task_range') && times++ === 1 ? { body: { tasks: [] } } : undefined),
  });
  expect((await discoverAll(server.url)).tasks).toHaveLength(3);
});
