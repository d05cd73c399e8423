import { describe, expect, test, vi } from 'vitest';
import { discover, type Split } from '../../src/discover/index.js';
import { discoverAll, discoverOptions, Said } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { day, days, type ServedTask } from '../support/served-tasks.js';
import { type Answer, type Asked, StandIn, type StandInOptions } from '../support/stand-in.js';

refuseWarnings();

/** Answers one route with `answer`, from the nth request on. */
function route(end: string, answer: (asked: Asked, server: StandIn) => Answer | undefined, from = 0) {
  let times = 0;
  return (asked: Asked, server: StandIn) =>
    asked.path.endsWith(end) && times++ >= from ? answer(asked, server) : undefined;
}

async function failureFrom(options: StandInOptions, changes = {}): Promise<string> {
  const server = await StandIn.start(options);
  return failureOf(discoverAll(server.url, changes));
}

describe('tasks', () => {
  const splits = { all: days(300), train: days(200), none: [], eval: [day(7, { system_prompt: null })] };

  test('are read in the order of the server, split by split', async () => {
    const server = await StandIn.start({ splits });
    const found = await discoverAll(server.url);
    expect(found.envName).toBe('grid-v1');
    expect(found.splits).toEqual(['all: 300', 'train: 200', 'eval: 1']);
    expect(found.warnings).toEqual(["split 'none' has no tasks and is skipped"]);
    expect(found.tasks).toHaveLength(501);
    expect(found.tasks.map(({ index }) => index)).toEqual([...Array(300).keys(), ...Array(200).keys(), 0]);
    expect(found.tasks.at(-1)).toMatchObject({ split: 'eval', index: 0, prompt: 'Day 7.', systemPrompt: null });
    expect(found.summary.toolsets[0]?.turns[0]?.map(({ name }) => name)).toEqual(['submit_schedule', 'end_turn']);
  });

  test('are requested before they are read', async () => {
    const server = await StandIn.start({ splits });
    const discovery = await discover(server.url, discoverOptions(), new Said());
    const ranges = () => server.asked.filter(({ path }) => path.endsWith('/task_range')).length;
    expect(ranges()).toBe(0);
    discovery.tasks(discovery.splits[0] as Split);
    await vi.waitFor(() => expect(ranges()).toBeGreaterThan(0));
    await discovery.close();
  });

  test('are read in that order only', async () => {
    const server = await StandIn.start({ splits });
    const discovery = await discover(server.url, discoverOptions(), new Said());
    await expect(discovery.finish()).rejects.toThrow('before all tasks are read');
    const second = discovery.tasks(discovery.splits[1] as Split);
    await expect(second[Symbol.asyncIterator]().next()).rejects.toThrow('out of order');
    await discovery.close();
  });

  test('are limited to the selected splits and the number per split', async () => {
    const server = await StandIn.start({ splits });
    const found = await discoverAll(server.url, { splits: ['eval', 'train'], limit: 150 });
    expect(found.splits).toEqual(['train: 150', 'eval: 1']);
    const asked = server.asked.filter(({ path }) => path.endsWith('/task_range')).map(({ body }) => body);
    expect(Math.max(...asked.map((body) => (body as { stop: number }).stop))).toBe(150);
  });

  test('may have a base path, and a name that needs escapes', async () => {
    const server = await StandIn.start({ base: '/envs/a', name: 'My env/v1 é?#' });
    const found = await discoverAll(`${server.url.toUpperCase().replace('/ENVS/A', '/envs/a')}/docs`);
    expect([found.envName, found.tasks.length]).toEqual(['My env/v1 é?#', 3]);
  });

  test.each(['ws', 'http'])('are read over IPv6, from a %s URL', async (scheme) => {
    const server = await StandIn.start({ host: '::1' });
    const url = scheme === 'ws' ? `ws://${server.host}/ws` : server.url;
    expect((await discoverAll(url)).tasks).toHaveLength(3);
  });

  test('are requested with headers, also in each session', async () => {
    const server = await StandIn.start();
    await discoverAll(server.url, { headers: { Authorization: 'Bearer t' } });
    const all = [...server.asked.map(({ headers }) => headers), ...server.handshakes];
    expect(all.length).toBeGreaterThan(5);
    expect(all.every(({ authorization }) => authorization === 'Bearer t')).toBe(true);
  });

  test('may have unknown keys, numbers as ids and no agent', async () => {
    const server = await StandIn.start({ splits: { train: [{ id: 7, prompt: 'p', extra: [1] }] } });
    const { tasks } = await discoverAll(server.url);
    expect(tasks).toMatchObject([{ id: '7', prompt: 'p', systemPrompt: null, toolset: { key: 'agent:' } }]);
  });

  test('keep their text, including lone surrogates, for the rules to judge', async () => {
    const prompt = 'a\ud800b \u2028 {{x}} """ \\ é😀';
    const server = await StandIn.start({ splits: { train: [day(0, { prompt })] } });
    expect((await discoverAll(server.url)).tasks[0]?.prompt).toBe(prompt);
  });
});

describe('without the Task API', () => {
  test.each<[string, number]>([
    ['/list_environments', 404],
    ['/list_environments', 501],
    ['/splits', 404],
    ['/splits', 501],
    ['/num_tasks', 501],
    ['/num_tasks', 404],
  ])('%s answers %d: the error names --episodes and --tasks', async (path, status) => {
    const http = route(path, () => ({ status, body: { detail: 'Not implemented' } }));
    const failure = await failureFrom({ http });
    expect(failure).toMatch(new RegExp(`no Task API \\(${status}\\), so its tasks are unknown`));
    expect(failure).toMatch(/at: (GET|POST) http.*\nfix: provide tasks: --episodes N .*--tasks FILE/);
  });

  test.each<[string, unknown]>([
    ['no environment', []],
    ['several environments', ['a', 'b']],
  ])('%s: refused', async (_, body) => {
    const failure = await failureFrom({ http: route('/list_environments', () => ({ body })) });
    expect(failure).toMatch(/the server has \d environments; gymgen supports one/);
  });

  test('a server without tasks is refused', async () => {
    expect(await failureFrom({ splits: {} })).toMatch(/the server has no tasks/);
    expect(await failureFrom({ splits: { train: [], eval: [] } })).toMatch(/the server has no tasks/);
  });

  test('an unknown split is named, with the available ones', async () => {
    const failure = await failureFrom({}, { splits: ['train', 'test', 'dev'] });
    expect(failure).toMatch(/no such split: 'test', 'dev'\nfix: pass --split with one of: train/);
  });
});

test.each<[string, Answer, RegExp]>([
  [
    'HTML',
    { headers: { 'Content-Type': 'text/html' }, body: '<!doctype html><title>Space' },
    /not JSON \(text\/html\)/,
  ],
  ['404', { status: 404, body: 'Not Found' }, /answered HTTP 404[\s\S]*pass the URL of an OpenEnv server/],
  ['401', { status: 401, body: { detail: 'no token' } }, /answered HTTP 401[\s\S]*--header 'Authorization/],
])('a server that is not an OpenEnv server, with %s', async (_, answer, message) => {
  expect(await failureFrom({ http: () => answer })).toMatch(message);
});

describe('an invalid response', () => {
  const answers: [path: string, body: unknown][] = [
    ['/list_environments', {}],
    ['/list_environments', [3]],
    ['/list_environments', ['']],
    ['/splits', null],
    ['/splits', [{ type: 'train' }]],
    ['/splits', ['train']],
    ['/num_tasks', {}],
    ['/num_tasks', { num_tasks: -1 }],
    ['/num_tasks', { num_tasks: 1.5 }],
    ['/num_tasks', '{"num_tasks":1e400}'],
    ['/num_tasks', '{"num_tasks":9223372036854775807}'],
    ['/task_range', {}],
    ['/task_range', { tasks: {} }],
    ['/task_range', { tasks: [null, 1, 'x'] }],
  ];
  test.each(answers)('%s: %j', async (path, body) => {
    expect(await failureFrom({ http: route(path, () => ({ body })) })).toMatch(/invalid response from the server: \S/);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no id', { id: undefined }, /task train\[1\]: id must be a string, but is missing/],
    ['an id that is an object', { id: { a: 1 } }, /task train\[1\]: id must be a string, but is \{"a":1\}/],
    ['no prompt', { prompt: undefined }, /task train\[1\]: prompt must be a string, but is missing/],
    ['a prompt that is a list', { prompt: ['a'] }, /task train\[1\]: prompt must be a string, but is \["a"\]/],
    [
      'a system prompt that is a number',
      { system_prompt: 0 },
      /task train\[1\]: system_prompt must be a string or null, but is 0/,
    ],
    ['an index of another task', { index: 5 }, /task train\[1\]: index must be 1 \(its place in the split\), but is 5/],
    ['an index that is a string', { index: '1' }, /task train\[1\]: index must be 1 .*, but is "1"/],
  ])('%s: the error names the task, the field and the reason', async (_, changes, message) => {
    const failure = await failureFrom({ splits: { train: [day(0), day(1, changes)] } });
    expect(failure).toMatch(message);
    expect(failure).toMatch(/--split/);
  });

  test('a value that is nested too deeply is not shown', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const http = route('/task_range', () => ({ body: `{"tasks":[{"id":"a","prompt":${deep}}]}` }));
    expect(await failureFrom({ splits: { train: [day(0)] }, http })).toMatch(
      /prompt must be a string, but is nested too deeply/,
    );
  });
});

describe('an inconsistent list of tasks', () => {
  test('is too short: 100 of 100,000', async () => {
    const http = route('/num_tasks', () => ({ body: { num_tasks: 100_000 } }));
    const failure = await failureFrom({ splits: { train: days(100) }, http });
    expect(failure).toMatch(/split 'train': the server returned 100 tasks instead of 128/);
  });

  test('claims a huge number of tasks, which takes no memory', async () => {
    const http = route('/num_tasks', () => ({ body: { num_tasks: Number.MAX_SAFE_INTEGER } }));
    expect(await failureFrom({ http })).toMatch(/the server returned 3 tasks instead of \d+/);
  });

  test('returns more tasks than requested', async () => {
    const http = route('/task_range', (_, { splits }) => ({ body: { tasks: splits.train } }));
    expect(await failureFrom({ splits: { train: days(200) }, http })).toMatch(/returned 200 tasks instead of 128/);
  });

  test('skips an index', async () => {
    const gap = days(300, (number) => ({ toolset: 'a', index: number < 200 ? number : number + 1 }));
    expect(await failureFrom({ splits: { train: gap } })).toMatch(
      /task train\[200\]: index must be 200 .*, but is 201/,
    );
  });

  test.each([
    ['in a page', 5],
    ['of another page', 290],
  ])('has a duplicate id %s', async (_, at) => {
    const tasks = days(300);
    tasks[at] = day(3);
    expect(await failureFrom({ splits: { train: tasks } })).toMatch(
      new RegExp(`task train\\[${at}\\] 'day-3': duplicate id in the split`),
    );
  });

  const changes: [string, (tasks: ServedTask[]) => ServedTask[], RegExp][] = [
    ['one more task', (tasks) => [...tasks, day(300)], /changed while it was read: it had 300 tasks and now has 301/],
    ['one less task', (tasks) => tasks.slice(0, -1), /it had 300 tasks and now has 299/],
    ['another first task', (tasks) => tasks.with(0, day(999)), /task train\[0\] 'day-0' was replaced/],
    [
      'another last prompt',
      (tasks) => tasks.with(299, day(299, { prompt: 'New.' })),
      /train\[299\] 'day-299' was replaced/,
    ],
    ['no tasks', () => [], /it had 300 tasks and now has 0/],
  ];
  test.each(changes)('changes while it is read: %s', async (_, change, message) => {
    // Requested before the tasks are read, and again after that.
    const later = (_: Asked, server: StandIn) => {
      server.splits = { train: change(days(300)) };
      return undefined;
    };
    const http = route('/num_tasks', later, 1);
    expect(await failureFrom({ splits: { train: days(300) }, http })).toMatch(message);
  });
});

describe('one task that breaks its page', () => {
  const breaks = (bad: (index: number) => boolean, answer: Answer) =>
    route('/task_range', ({ body }) => {
      const { start, stop } = body as { start: number; stop: number };
      const range = Array.from({ length: stop - start }, (_, offset) => start + offset);
      return range.some(bad) ? answer : undefined;
    });

  test.each<[string, Answer]>([
    ['NaN, which makes FastAPI answer 500', { status: 500, body: 'Internal Server Error' }],
    ['NaN in the response', { body: '{"tasks":[{"id":"a","prompt":NaN}]}' }],
    ['bytes that are not UTF-8', { body: Buffer.from('{"tasks":["\xff"]}', 'latin1') }],
  ])('is named: %s', async (_, answer) => {
    const failure = await failureFrom({ splits: { train: days(300) }, http: breaks((index) => index === 217, answer) });
    expect(failure).toMatch(/cannot return task train\[217\]: .*\n[\s\S]*--split/);
  });

  test('is the first of several', async () => {
    const http = breaks((index) => index > 40 && index % 7 === 0, { status: 500, body: '' });
    expect(await failureFrom({ splits: { train: days(100) }, http })).toMatch(/train\[42\]/);
  });

  test('is not searched for if the server has gone', async () => {
    const http = route('/task_range', () => (response) => void response.destroy());
    expect(await failureFrom({ http })).toMatch(/connection failed/);
  });
});
