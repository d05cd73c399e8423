import { describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.js';
import { type GivenServer, given, givenServer, jsonl } from '../support/given.js';
import { failed, observation, toolsFrame } from '../support/served-session.js';
import { tool } from '../support/served-tasks.js';

const seeds = (count: number) => ({ given: { episodes: count, seed: 5, seedKey: 'seed' } });
const seeded = ({ seed }: Record<string, unknown>) => observation({ question: `What is ${seed}?` });

describe('episodes', () => {
  test('have seeds one after another, and what each shows as its prompt', async () => {
    const server = await givenServer({ shows: seeded });
    const { tasks, splits, discovery, warnings, toolsets } = await given(server, seeds(3));
    expect(splits).toEqual(['train: 3']);
    expect(tasks.map(({ id, reset, prompt }) => [id, reset, prompt])).toEqual([
      ['train-0', '{"seed":5}', 'What is 5?'],
      ['train-1', '{"seed":6}', 'What is 6?'],
      ['train-2', '{"seed":7}', 'What is 7?'],
    ]);
    expect(warnings).toEqual([]);
    expect(discovery.notes).toEqual([
      "what is played follows from the values of 'seed', and is the same each time (2 tried)",
      'prompt: question',
    ]);
    expect(toolsets).toEqual(['environment: step']);
    expect(discovery).toMatchObject({ provided: true, rewardRule: 'sum', action: { fixed: {} } });
  });

  test('that the seed changes nothing of are one row', async () => {
    const server = await givenServer();
    const { tasks, warnings } = await given(server, { ...seeds(20), prompt: { text: 'Play.', fields: [] } });
    expect(tasks.map(({ reset, prompt }) => [reset, prompt])).toEqual([['{"seed":5}', 'Play.\n\n{"board":"x"}']]);
    expect(warnings).toEqual([
      expect.stringMatching(/^8 sessions with different values of 'seed' were alike, so one row/),
    ]);
  });

  test('that differ in their first step only are as many rows', async () => {
    const asked = new Map<number, unknown>();
    const server = await givenServer({
      shows: ({ seed }, session) => {
        asked.set(session, seed);
        return observation({ board: 'x' });
      },
      steps: (_, session) => observation({ board: asked.get(session) }, { reward: 0, done: true }),
    });
    expect((await given(server, seeds(3))).tasks).toHaveLength(3);
  });

  test('whose ids, times and durations differ are alike all the same', async () => {
    const server = await givenServer({
      shows: (_, session) =>
        observation({
          board: 'run 0b5e9a5e-7d3c-4a34-9d5b-0123456789ab'.replace('0b5e', `${1000 + session}`),
          episode_id: `episode ${session}`,
          info: { execution_time: session / 7, started_at: session },
        }),
    });
    const { tasks, warnings } = await given(server, seeds(2));
    expect(warnings.join('\n')).not.toContain('not alike');
    expect(tasks[0]?.prompt).toMatch(/^\{"board":"run [\w-]+"\}$/);
  });

  test('that are never the same are told to be so, and are in no prompt', async () => {
    const server = await givenServer({ shows: (_, session) => observation({ board: `board ${session}` }) });
    const { tasks, warnings } = await given(server, { ...seeds(2), prompt: { text: 'Play.', fields: [] } });
    expect(tasks.map(({ prompt }) => prompt)).toEqual(['Play.', 'Play.']);
    expect(warnings).toEqual([
      expect.stringContaining("two sessions with the same values of 'seed' were not alike"),
      expect.stringContaining('is in no prompt'),
    ]);
    expect(await failureOf(given(server, seeds(2)))).toMatch(
      /no two episodes of a task show the same[\s\S]*--prompt TEXT/,
    );
  });

  test('that give no reward, and that nothing ends, are told of', async () => {
    const server = await givenServer({ shows: seeded, steps: () => observation({ board: 'x' }) });
    const { warnings } = await given(server, seeds(2));
    expect(warnings).toEqual([
      expect.stringContaining('20 steps of a trial gave no reward'),
      expect.stringMatching(/20 steps of a trial didn't end the episode[\s\S]*--max-steps/),
    ]);
    expect((await given(server, { ...seeds(2), bounded: true })).warnings).toHaveLength(1);
  });
});

const refused = (message: string) => ({ type: 'error', data: { code: 'EXECUTION_ERROR', message } });

describe("an environment that can't be played", () => {
  test('is refused in its own words, where its episodes do not begin and it has no name either', async () => {
    const noName: GivenServer['http'] = ({ path }) =>
      path === '/metadata' || path === '/list_environments' ? { status: 500, body: { detail: 'no' } } : undefined;
    const server = await givenServer({ shows: () => refused('there is no tokenizer'), http: noName });
    expect(await failureOf(given(server, seeds(2)))).toMatch(/no episode begins[\s\S]*there is no tokenizer/);
  });

  test('is refused where a websocket is refused, whatever it is called', async () => {
    const server = await givenServer({ http: ({ path }) => (path === '/metadata' ? { status: 404 } : undefined) });
    server.refuseUpgrades(403);
    expect(await failureOf(given(server, seeds(2)))).toMatch(/HTTP 403[\s\S]*another dialect than OpenEnv/);
  });

  test('is refused where what its steps return is no observation, which fails all of them', async () => {
    const steps = () => refused("'StepResult' object has no attribute 'model_dump'");
    const server = await givenServer({ shows: seeded, steps });
    expect(await failureOf(given(server, seeds(2)))).toMatch(
      /no step can be taken: [\s\S]*'StepResult' object has no attribute 'model_dump'[\s\S]*return an Observation/,
    );
  });

  test('is refused where the server can say neither its action nor its tools', async () => {
    const http: GivenServer['http'] = ({ path }) => (path === '/schema' ? { status: 500, body: 'oh' } : undefined);
    const failure = await failureOf(given(await givenServer({ shows: seeded, http }), seeds(2)));
    expect(failure).toMatch(/how the environment is played[\s\S]*the server answered 500[\s\S]*GET \/schema/);
  });

  test('but not where it lists tools', async () => {
    const http: GivenServer['http'] = ({ path }) => (path === '/schema' ? { status: 500, body: 'oh' } : undefined);
    const mcp = { jsonrpc: '2.0', id: 1, result: { tools: [tool('look')] } };
    const ws: GivenServer['ws'] = ({ data }) => (data.type === 'list_tools' ? toolsFrame([tool('look')]) : undefined);
    const server = await givenServer({ shows: seeded, http, mcp, ws });
    expect((await given(server, seeds(2))).toolsets).toEqual(['environment: look']);
  });

  test('is told of where it refuses the first step of a trial, since that may be for what the step was', async () => {
    const server = await givenServer({ shows: seeded, steps: () => refused('by must be odd') });
    const { tasks, warnings } = await given(server, { ...seeds(2), bounded: true });
    expect(tasks).toHaveLength(2);
    expect(warnings).toEqual([
      expect.stringMatching(/^a trial's first step, {"by":1}, was refused: EXECUTION_ERROR: by must be odd/),
    ]);
  });
});

test('a name that is a class, as OpenEnv has it where nobody gave one, is taken apart', async () => {
  for (const [name, envName] of [
    ['ReasoningGymEnvironment', 'Reasoning-Gym-Environment'],
    ['REPLEnv', 'REPL-Env'],
    ['PythonCodeActEnv', 'Python-Code-Act-Env'],
    ['My Environment', 'My Environment'],
    ['demo_env', 'demo_env'],
  ]) {
    const http: GivenServer['http'] = ({ path }) =>
      path === '/metadata' ? { body: { name } } : path === '/list_environments' ? { status: 404 } : undefined;
    const { discovery } = await given(await givenServer({ shows: seeded, http }), seeds(2));
    expect(discovery.envName).toBe(envName);
  }
});

describe('an action that looks like a tool call', () => {
  const action = { title: 'ToolAction', properties: { tool_name: { type: 'string' }, arguments: { type: 'object' } } };
  const invalid = { type: 'error', data: { code: 'VALIDATION_ERROR', message: 'Invalid message' } };
  const listing =
    (answer: unknown): NonNullable<GivenServer['ws']> =>
    (message) =>
      message.data.type === 'list_tools' ? answer : undefined;

  test("is the environment's own if it refuses to list tools", async () => {
    const server = await givenServer({ action, shows: seeded, ws: listing(invalid) });
    expect((await given(server, seeds(2))).discovery.action).toEqual({ fixed: {} });
  });

  test("is the environment's own if it takes the listing for one of its actions", async () => {
    const server = await givenServer({ action, shows: seeded, ws: listing(observation({ text: 'hm' })) });
    expect((await given(server, seeds(2))).toolsets).toEqual(['environment: step']);
  });

  test('is for the tools that a list_tools step lists', async () => {
    const ws = listing(toolsFrame([tool('look')]));
    const server = await givenServer({ action, shows: seeded, ws });
    const { toolsets, discovery } = await given(server, seeds(2));
    expect([toolsets, discovery.action]).toEqual([['environment: look'], undefined]);
  });

  test("is for tools if OpenEnv's own discriminator says so, and the server is not asked before a reset", async () => {
    const mcp = { properties: { type: { const: 'call_tool' }, ...action.properties } };
    const server = await givenServer({ action: mcp, shows: seeded, ws: listing(toolsFrame([tool('look')])) });
    expect((await given(server, seeds(2))).toolsets).toEqual(['environment: look']);
    expect(server.sessions.every(({ resets }) => resets.length > 0)).toBe(true);
  });
});

describe('an environment that draws one of two starts at each reset', () => {
  /** As chess draws its colour: the first sessions are alike, whatever luck says later. */
  const drawing = (alike: number) =>
    givenServer({
      shows: ({ seed }, session) => observation({ board: `${seed} ${session < alike ? 'white' : 'black'}` }),
    });

  test.each([2, 3, 5])('is not taken for one that repeats after %i alike', async (alike) => {
    const { warnings, discovery } = await given(await drawing(alike), {
      ...seeds(4),
      prompt: { text: 'Play.', fields: [] },
    });
    expect(warnings.join()).toContain("two sessions with the same values of 'seed' were not alike");
    expect(discovery.notes?.join()).not.toContain('is the same each time');
  });

  test('has a bounded number of sessions', async () => {
    const server = await givenServer({ shows: seeded });
    await given(server, { given: { file: jsonl(...[1, 2, 3, 4].map((seed) => ({ seed, prompt: 'Play.' }))) } });
    expect(server.sessions.length).toBeLessThanOrEqual(3 + 10);
  });
});

describe('fields that give the answer away', () => {
  test('are left out where their name says so, and reported where it may be the task', async () => {
    const shows = ({ seed }: Record<string, unknown>) => observation({ board: seed, solution: 'abc', target: 'xyz' });
    const { tasks, warnings } = await given(await givenServer({ shows }), {
      ...seeds(2),
      prompt: { text: 'Play.', fields: [] },
    });
    expect(tasks[0]?.prompt).toBe('Play.\n\n{"board":5,"target":"xyz"}');
    expect(warnings).toEqual([expect.stringMatching(/^'target' is shown by the reset: .*--prompt-field NAME/)]);
  });

  test('are reported where steps show them', async () => {
    const steps = () => observation({ board: 1, answer: 'abc' }, { reward: 1, done: true });
    const { warnings } = await given(await givenServer({ shows: seeded, steps }), seeds(2));
    expect(warnings).toEqual([
      expect.stringMatching(/^'answer' is shown by a step: .*remove the field from what steps return/),
    ]);
  });
});

describe('scores', () => {
  test('are known by name if an episode ended', async () => {
    const metadata = { scores: { acc: 1, note: 'x' } };
    const steps = () => observation({ board: 1 }, { reward: 1, done: true, metadata });
    const { discovery } = await given(await givenServer({ shows: seeded, steps }), seeds(2));
    expect(discovery.scores?.()).toEqual(new Set(['acc']));
    const endless = await givenServer({ shows: seeded, steps: () => observation({ board: 1 }, { reward: 1 }) });
    expect((await given(endless, { ...seeds(2), bounded: true })).discovery.scores?.()).toBeUndefined();
  });
});

describe('given tasks', () => {
  test('have their own prompts, for which no episode is begun', async () => {
    const server = await givenServer({ shows: seeded });
    const tasks = Array.from({ length: 100 }, (_, seed) => ({
      reset: { seed },
      prompt: `Ask ${seed}.`,
      system_prompt: 'Ask.',
    }));
    const found = await given(server, { given: { file: jsonl(...tasks) } });
    expect(found.tasks.map(({ prompt }) => prompt)).toEqual(tasks.map(({ prompt }) => prompt));
    expect(found.tasks[7]).toMatchObject({ systemPrompt: 'Ask.', reset: '{"seed":7}' });
    expect(server.sessions.length).toBeLessThan(16);
  });

  test('whose arguments change nothing stay as they are, and it is told', async () => {
    const server = await givenServer();
    const { tasks, warnings } = await given(server, { given: { file: jsonl({ a: 1 }, { a: 2 }) } });
    expect(tasks).toHaveLength(2);
    expect(warnings[0]).toBe('2 sessions with different reset arguments were alike: does its reset take them?');
  });

  test('that do not begin stop the run, in the words of the server', async () => {
    const server = await givenServer({ shows: () => failed('there is no data in /data') });
    expect(await failureOf(given(server, seeds(3)))).toMatch(
      /no episode begins: train\[0\] 'train-0': its reset failed: there is no data/,
    );
    const over = await givenServer({ shows: () => observation({}, { done: true }) });
    expect(await failureOf(given(over, seeds(3)))).toMatch(/its episode ended at the reset/);
    const error = await givenServer({ shows: () => observation({ error: 'no such scenario' }) });
    expect(await failureOf(given(error, seeds(3)))).toMatch(/its reset failed: "no such scenario"/);
  });

  test('of which some do not begin are named', async () => {
    const server = await givenServer({ shows: (args) => (args.seed === 2 ? failed('bad seed') : seeded(args)) });
    const file = jsonl(...[0, 1, 2, 3, 4, 5].map((seed) => ({ seed })));
    expect(await failureOf(given(server, { given: { file }, probes: 2 }))).toMatch(
      /could not be begun[\s\S]*train\[2\] 'train-2': its reset failed: bad seed/,
    );
  });
});

describe('an environment with tools', () => {
  const listing = { action: null as never, turns: () => [[tool('echo')]] };

  test('has its own, learnt in the episodes of some tasks', async () => {
    const server = await givenServer({
      ...listing,
      shows: seeded,
      ws: ({ data }) =>
        data?.type === 'list_tools'
          ? toolsFrame([tool('echo')])
          : observation({ result: 'ok' }, { reward: 1, done: true }),
    });
    const { toolsets, discovery } = await given(server, seeds(4));
    expect(toolsets).toEqual(['environment: echo']);
    expect(discovery.action).toBeUndefined();
  });

  test('that refuses to list them in an episode is asked over MCP', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 9 } } };
    const server = await givenServer({
      action: { title: 'Call', properties: { tool_name: {}, arguments: {} } },
      mcp: { result: { tools: [{ name: 'ask', description: null, inputSchema: schema }] } },
      shows: seeded,
      ws: ({ data }) => {
        if (data?.type !== 'list_tools') return observation({ result: 'ok' }, { reward: 1, done: true });
        return { type: 'error', data: { message: 'unknown action', code: 'VALIDATION_ERROR' } };
      },
    });
    const { tasks } = await given(server, seeds(2));
    expect(tasks[0]?.toolset.turns).toEqual([[{ name: 'ask', description: '', parameters: JSON.stringify(schema) }]]);
  });

  test('has no action whose fields could be hidden', async () => {
    const server = await givenServer(listing);
    const action = { hide: ['a'], fix: {} };
    expect(await failureOf(given(server, { ...seeds(1), action }))).toMatch(/has tools of its own[\s\S]*--hide-field/);
  });
});
