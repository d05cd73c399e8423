import { describe, expect, test } from 'vitest';
import { byNumber, failureFrom, found, onReset } from '../../support/found.js';
import { refuseWarnings } from '../../support/leaks.js';
import { failed, observation, type Script } from '../../support/served-session.js';
import { day, days, TOOLS, tool } from '../../support/served-tasks.js';

refuseWarnings();

const END = tool('end_turn');
const declared = (toolset: string) => ({ toolset });

describe('turns', () => {
  const turns = () => [[tool('ask'), END], [tool('answer'), END], [END]];

  test('are all opened, by empty replies', async () => {
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

  test('that differ in number only share a toolset, which has the most turns', async () => {
    const longer = byNumber((number) => Array.from({ length: number + 1 }, () => TOOLS));
    const { toolsets } = await found({ turns: longer, splits: { train: days(3) } });
    expect(toolsets).toEqual([`agent:solver: ${Array(3).fill('submit_schedule end_turn').join(' | ')}`]);
  });

  test('end if a turn has no end_turn', async () => {
    const { toolsets } = await found({ turns: () => [[tool('step')]], splits: { train: [day(0)] } });
    expect(toolsets).toEqual(['agent:solver: step']);
  });

  test('are limited in number', async () => {
    const ws: Script = ({ data }) =>
      data.tool_name === 'end_turn' ? observation({ result: { prompt: 'Again.' }, error: null }) : undefined;
    const { failure, server } = await failureFrom({ ws, splits: { train: [day(0)] } });
    expect(failure).toMatch(/train\[0\] 'day-0': too many turns: the limit is 100/);
    expect(server.sessions[0]?.calls.length).toBeLessThan(110);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'refuses an empty reply',
      observation({ result: null, error: { error_type: 'execution_error', message: 'a reply is needed' } }),
      /turn 1 did not end: .*a reply is needed/,
    ],
    ['fails', failed('the verifier crashed'), /turn 1 did not end: the verifier crashed/],
    [
      'gets an error frame',
      { type: 'error', data: { code: 'EXECUTION_ERROR', message: 'boom' } },
      /EXECUTION_ERROR: boom/,
    ],
  ])('one that %s is reported, with the flag that skips later turns', async (_, answer, message) => {
    const ws: Script = ({ data }) => (data.tool_name === 'end_turn' ? answer : undefined);
    const { failure } = await failureFrom({ ws, splits: { train: [day(0)] } });
    expect(failure).toMatch(message);
    expect(failure).toMatch(/skip the later turns with --probe-turns first/);
  });
});

describe('a failed probe', () => {
  const bad = (...numbers: number[]) =>
    onReset((number) => (numbers.includes(number) ? failed(`no day ${number}`) : undefined));

  test('is reported, and the next task is tried', async () => {
    const { server, warnings, toolsets } = await found({ splits: { all: days(100) }, ws: bad(0, 99) });
    expect(warnings).toEqual([
      "could not probe all[0] 'day-0': reset failed: no day 0; trying the next task",
      "could not probe all[99] 'day-99': reset failed: no day 99; trying the next task",
    ]);
    expect(server.resets.sort()).toEqual(['all[0]', 'all[1]', 'all[50]', 'all[98]', 'all[99]']);
    expect(toolsets).toHaveLength(1);
  });

  test('stops the run the third time in a row, naming the tasks and the errors of the server', async () => {
    const { failure } = await failureFrom({ splits: { all: days(100, () => declared('a')) }, ws: bad(0, 1, 2) });
    expect(failure).toMatch(/could not probe tasks for their tools/);
    for (const number of [0, 1, 2])
      expect(failure).toContain(`all[${number}] 'day-${number}': reset failed: no day ${number}`);
    expect(failure).toMatch(/fix: correct the tasks on the server[\s\S]*--split/);
  });

  test('of one of few tasks leaves it with the tools of the others, if these are the same', async () => {
    const { warnings, tasks } = await found({ splits: { all: days(5) }, ws: bad(2) });
    expect(warnings).toEqual(["could not probe all[2] 'day-2': reset failed: no day 2"]);
    expect(tasks[2]?.toolset).toBe(tasks[1]?.toolset);
  });

  test('of one of few tasks stops the run if the others have different tools', async () => {
    const turns = byNumber((number) => [[tool(`t${number}`)]]);
    const { failure } = await failureFrom({ splits: { all: days(5) }, ws: bad(2), turns });
    expect(failure).toMatch(/could not probe[\s\S]*all\[2\] 'day-2': reset failed: no day 2/);
  });

  test('stops a run with --probes all at its end', async () => {
    const turns = byNumber((number) => [[tool(`t${number % 2}`)]]);
    const options = { splits: { all: days(100) }, ws: bad(70), turns };
    const { failure } = await failureFrom(options, { probes: Number.POSITIVE_INFINITY });
    expect(failure).toMatch(/all\[70\] 'day-70': reset failed: no day 70/);
  });

  test('of each of few tasks stops the run', async () => {
    expect((await failureFrom({ splits: { all: days(2) }, ws: bad(0, 1) })).failure).toMatch(/no day 0\n.*no day 1/);
    expect((await failureFrom({ splits: { all: days(1) }, ws: bad(0) })).failure).toMatch(/no day 0/);
  });

  test.each<[string, Script, RegExp]>([
    ['ends at the reset', onReset(() => observation({}, { done: true })), /the episode ended at the reset/],
    ['fails without a reason', onReset(() => observation({}, { metadata: { status: 'error' } })), /gives no reason/],
    ['is an error frame', onReset(() => ({ type: 'error', data: {} })), /reset failed: no code: no message/],
    ['is not a frame', onReset(() => 'Traceback'), /reset failed: not an OpenEnv frame: Traceback/],
    [
      'closes the session',
      onReset((_, { socket }) => socket.close(1011, 'crash') ?? null),
      /reset failed: .*1011: crash/,
    ],
    [
      'has ended when its tools are listed',
      ({ data }) => (data.type === 'list_tools' ? failed('the turn took too long', { tools: [] }) : undefined),
      /could not list its tools: the turn took too long/,
    ],
    [
      'lists tools with NaN',
      ({ data }) =>
        data.type === 'list_tools' ? '{"type":"observation","data":{"observation":{"tools":[NaN]}}}' : undefined,
      /all\[0\] 'day-0': could not list its tools: not an OpenEnv frame.*NaN/,
    ],
    [
      'lists no tools',
      ({ data }) => (data.type === 'list_tools' ? observation({ metadata: {} }) : undefined),
      /could not list its tools: cannot read the server's list of tools/,
    ],
    [
      'closes while a turn ends',
      ({ data }, { socket }) => (data.tool_name === 'end_turn' ? (socket.terminate() ?? null) : undefined),
      /turn 1 did not end: the server closed the session/,
    ],
  ])('that %s names the task', async (_, ws, message) => {
    const { failure } = await failureFrom({ splits: { all: days(1) }, ws });
    expect(failure).toMatch(message);
    expect(failure).toContain("all[0] 'day-0'");
  });

  test('that gets no response in time names the task', async () => {
    const { failure } = await failureFrom({ splits: { all: days(1) }, ws: onReset(() => null) }, { resetTimeout: 0.1 });
    expect(failure).toMatch(/all\[0\] 'day-0': reset failed: no response within 0.1 s/);
  });
});

describe('a reset that starts another task', () => {
  const starting = (task: unknown, number?: number) =>
    onReset((asked) =>
      number === undefined || asked === number ? observation({}, { metadata: { task } }) : undefined,
    );

  test.each<[string, unknown, RegExp]>([
    [
      'another index',
      { id: 'day-1', split: 'all', index: 1 },
      /all\[0\] 'day-0': the server started another task, all\[1\] 'day-1'/,
    ],
    ['another split', { id: 'day-0', split: 'eval', index: 0 }, /started another task, eval\[0\]/],
    ['another id', { id: '@local/x/day-2', split: 'all', index: 0 }, /started another task, all\[0\] 'day-2'/],
    ['another id only', { id: 'day-2' }, /started another task, all\[0\] 'day-2'/],
    ['another id that is a number', { id: 9 }, /started another task/],
  ])('%s is detected', async (_, task, message) => {
    const splits = { all: days(1) };
    expect((await failureFrom({ splits, ws: starting(task) })).failure).toMatch(message);
  });

  test('the same task of a bundle in another folder is accepted', async () => {
    const { toolsets } = await found({
      splits: { all: days(1) },
      ws: onReset((_, session) => {
        setTimeout(() => session.send(observation({}, { metadata: { task: { id: '@local/mnt/grid-v1/day-0' } } })));
        return null;
      }),
    });
    expect(toolsets).toHaveLength(1);
  });

  test('is reported, and the next task is tried', async () => {
    const ws = starting({ split: 'all', index: 99 }, 0);
    const { warnings } = await found({ splits: { all: days(50) }, ws });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/all\[0\] 'day-0': the server started another task/);
  });

  test.each([null, undefined, {}, 'day-0', { split: 'all' }])(
    'cannot be detected if the server reports %j, which is a warning',
    async (task) => {
      const { warnings, toolsets } = await found({ splits: { all: days(5) }, ws: starting(task) });
      expect(warnings).toEqual(['the server does not report metadata.task; episode identity is unchecked']);
      expect(toolsets).toHaveLength(1);
    },
  );
});

test('an empty list of tools is a toolset without tools', async () => {
  const { toolsets } = await found({ turns: () => [[]] });
  expect(toolsets).toEqual(['agent:solver: ']);
});

test('a description that is null becomes ""', async () => {
  const { tasks } = await found({ turns: () => [[{ name: 'a', description: null, input_schema: null }]] });
  expect(tasks[0]?.toolset.turns).toEqual([
    [{ name: 'a', description: '', parameters: '{"type":"object","properties":{}}' }],
  ]);
});

test('a different response to a repeated request breaks nothing', async () => {
  let times = 0;
  const { tasks } = await found({
    http: ({ path }) => (path.endsWith('/task_range') && times++ === 1 ? { body: { tasks: [] } } : undefined),
  });
  expect(tasks).toHaveLength(3);
});
