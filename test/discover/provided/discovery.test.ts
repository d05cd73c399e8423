import { describe, expect, test } from 'vitest';
import { failureOf } from '../../support/failure-of.js';
import { discoverProvided, jsonl, type ServerWithoutTasks, serverWithoutTasks } from '../../support/provided.js';
import { failed, observation, toolsFrame } from '../../support/served-session.js';
import { tool } from '../../support/served-tasks.js';

const seeds = (count: number) => ({ provided: { episodes: count, seed: 5, seedKey: 'seed' } });
const seeded = ({ seed }: Record<string, unknown>) => observation({ question: `What is ${seed}?` });

describe('seeds', () => {
  test('give consecutive tasks, with prompts from their resets', async () => {
    const server = await serverWithoutTasks({ shows: seeded });
    const { tasks, splits, discovery, warnings, toolsets } = await discoverProvided(server, seeds(3));
    expect(splits).toEqual(['train: 3']);
    expect(tasks.map(({ id, reset, prompt }) => [id, reset, prompt])).toEqual([
      ['train-0', '{"seed":5}', 'What is 5?'],
      ['train-1', '{"seed":6}', 'What is 6?'],
      ['train-2', '{"seed":7}', 'What is 7?'],
    ]);
    expect(warnings).toEqual([]);
    expect(discovery.notes).toEqual([
      "episodes depend on the values of 'seed' and are reproducible (2 tried)",
      'prompt: question',
    ]);
    expect(toolsets).toEqual(['environment: step']);
    expect(discovery).toMatchObject({ provided: true, rewardRule: 'sum', action: { fixed: {} } });
  });

  test('that change nothing give one row', async () => {
    const server = await serverWithoutTasks();
    const { tasks, warnings } = await discoverProvided(server, { ...seeds(20), prompt: { text: 'Play.', fields: [] } });
    expect(tasks.map(({ reset, prompt }) => [reset, prompt])).toEqual([['{"seed":5}', 'Play.\n\n{"board":"x"}']]);
    expect(warnings).toEqual([
      expect.stringMatching(/^8 sessions with different values of 'seed' are equal, so one row/),
    ]);
  });

  test('that change the first step only give a row each', async () => {
    const asked = new Map<number, unknown>();
    const server = await serverWithoutTasks({
      shows: ({ seed }, session) => {
        asked.set(session, seed);
        return observation({ board: 'x' });
      },
      steps: (_, session) => observation({ board: asked.get(session) }, { reward: 0, done: true }),
    });
    expect((await discoverProvided(server, seeds(3))).tasks).toHaveLength(3);
  });

  test('that change only ids, times and durations change nothing', async () => {
    const server = await serverWithoutTasks({
      shows: (_, session) =>
        observation({
          board: 'run 0b5e9a5e-7d3c-4a34-9d5b-0123456789ab'.replace('0b5e', `${1000 + session}`),
          episode_id: `episode ${session}`,
          info: { execution_time: session / 7, started_at: session },
        }),
    });
    const { tasks, warnings } = await discoverProvided(server, seeds(2));
    expect(warnings.join('\n')).not.toContain('not reproducible');
    expect(tasks[0]?.prompt).toMatch(/^\{"board":"run [\w-]+"\}$/);
  });

  test('that do not determine the episode are reported, and resets are left out of prompts', async () => {
    const server = await serverWithoutTasks({ shows: (_, session) => observation({ board: `board ${session}` }) });
    const { tasks, warnings } = await discoverProvided(server, { ...seeds(2), prompt: { text: 'Play.', fields: [] } });
    expect(tasks.map(({ prompt }) => prompt)).toEqual(['Play.', 'Play.']);
    expect(warnings).toEqual([
      expect.stringContaining("two sessions with the same values of 'seed' differ"),
      expect.stringContaining('prompts omit the observation of the reset'),
    ]);
    expect(await failureOf(discoverProvided(server, seeds(2)))).toMatch(
      /the prompt of a task changes with each reset[\s\S]*--prompt TEXT/,
    );
  });

  test('whose episodes give no reward and do not end are reported', async () => {
    const server = await serverWithoutTasks({ shows: seeded, steps: () => observation({ board: 'x' }) });
    const { warnings } = await discoverProvided(server, seeds(2));
    expect(warnings).toEqual([
      expect.stringContaining('20 scripted steps gave no reward'),
      expect.stringMatching(/20 scripted steps did not end the episode[\s\S]*--max-steps/),
    ]);
    expect((await discoverProvided(server, { ...seeds(2), bounded: true })).warnings).toHaveLength(1);
  });
});

const refused = (message: string) => ({ type: 'error', data: { code: 'EXECUTION_ERROR', message } });

describe('an environment that fails', () => {
  test('at each reset is refused with its own error, even if it has no name', async () => {
    const noName: ServerWithoutTasks['http'] = ({ path }) =>
      path === '/metadata' || path === '/list_environments' ? { status: 500, body: { detail: 'no' } } : undefined;
    const server = await serverWithoutTasks({ shows: () => refused('there is no tokenizer'), http: noName });
    expect(await failureOf(discoverProvided(server, seeds(2)))).toMatch(
      /could not start an episode[\s\S]*there is no tokenizer/,
    );
  });

  test.each([401, 403])('to show its name with HTTP %i is refused for the missing credentials', async (status) => {
    const http: ServerWithoutTasks['http'] = ({ path }) =>
      path === '/list_environments' ? { status, body: { detail: 'no' } } : undefined;
    const server = await serverWithoutTasks({ shows: seeded, http });
    expect(await failureOf(discoverProvided(server, seeds(2)))).toMatch(
      new RegExp(`answered HTTP ${status}[\\s\\S]*list_environments[\\s\\S]*--header`),
    );
  });

  test('to open a WebSocket is refused, even if it has no name', async () => {
    const server = await serverWithoutTasks({
      http: ({ path }) => (path === '/metadata' ? { status: 404 } : undefined),
    });
    server.refuseUpgrades(403);
    expect(await failureOf(discoverProvided(server, seeds(2)))).toMatch(
      /HTTP 403[\s\S]*check that it is an OpenEnv server/,
    );
  });

  test('at each step is refused', async () => {
    const steps = () => refused("'StepResult' object has no attribute 'model_dump'");
    const server = await serverWithoutTasks({ shows: seeded, steps });
    expect(await failureOf(discoverProvided(server, seeds(2)))).toMatch(
      /every step fails: [\s\S]*'StepResult' object has no attribute 'model_dump'[\s\S]*return an Observation/,
    );
  });

  test('to show its action or its tools is refused', async () => {
    const http: ServerWithoutTasks['http'] = ({ path }) =>
      path === '/schema' ? { status: 500, body: 'oh' } : undefined;
    const failure = await failureOf(discoverProvided(await serverWithoutTasks({ shows: seeded, http }), seeds(2)));
    expect(failure).toMatch(
      /cannot determine the environment's interface[\s\S]*the server answered HTTP 500[\s\S]*GET \/schema/,
    );
  });

  test('to show its action, but lists tools, is accepted', async () => {
    const http: ServerWithoutTasks['http'] = ({ path }) =>
      path === '/schema' ? { status: 500, body: 'oh' } : undefined;
    const mcp = { jsonrpc: '2.0', id: 1, result: { tools: [tool('look')] } };
    const ws: ServerWithoutTasks['ws'] = ({ data }) =>
      data.type === 'list_tools' ? toolsFrame([tool('look')]) : undefined;
    const server = await serverWithoutTasks({ shows: seeded, http, mcp, ws });
    expect((await discoverProvided(server, seeds(2))).toolsets).toEqual(['environment: look']);
  });

  test('at the first scripted step is accepted with a warning, because other actions may succeed', async () => {
    const server = await serverWithoutTasks({ shows: seeded, steps: () => refused('by must be odd') });
    const { tasks, warnings } = await discoverProvided(server, { ...seeds(2), bounded: true });
    expect(tasks).toHaveLength(2);
    expect(warnings).toEqual([
      expect.stringMatching(/^the first scripted step, {"by":1}, was rejected: EXECUTION_ERROR: by must be odd/),
    ]);
  });
});

test("a class name, which is OpenEnv's default name, is split into words", async () => {
  for (const [name, envName] of [
    ['ReasoningGymEnvironment', 'Reasoning-Gym-Environment'],
    ['REPLEnv', 'REPL-Env'],
    ['PythonCodeActEnv', 'Python-Code-Act-Env'],
    ['My Environment', 'My Environment'],
    ['demo_env', 'demo_env'],
  ]) {
    const http: ServerWithoutTasks['http'] = ({ path }) =>
      path === '/metadata' ? { body: { name } } : path === '/list_environments' ? { status: 404 } : undefined;
    const { discovery } = await discoverProvided(await serverWithoutTasks({ shows: seeded, http }), seeds(2));
    expect(discovery.envName).toBe(envName);
  }
});

describe('an action that looks like a tool call', () => {
  const action = { title: 'ToolAction', properties: { tool_name: { type: 'string' }, arguments: { type: 'object' } } };
  const invalid = { type: 'error', data: { code: 'VALIDATION_ERROR', message: 'Invalid message' } };
  const listing =
    (answer: unknown): NonNullable<ServerWithoutTasks['ws']> =>
    (message) =>
      message.data.type === 'list_tools' ? answer : undefined;

  test("is the environment's own if it refuses to list tools", async () => {
    const server = await serverWithoutTasks({ action, shows: seeded, ws: listing(invalid) });
    expect((await discoverProvided(server, seeds(2))).discovery.action).toEqual({ fixed: {} });
  });

  test("is the environment's own if it treats the listing as one of its actions", async () => {
    const server = await serverWithoutTasks({ action, shows: seeded, ws: listing(observation({ text: 'hm' })) });
    expect((await discoverProvided(server, seeds(2))).toolsets).toEqual(['environment: step']);
  });

  test('is a tool call if a list_tools step lists tools', async () => {
    const ws = listing(toolsFrame([tool('look')]));
    const server = await serverWithoutTasks({ action, shows: seeded, ws });
    const { toolsets, discovery } = await discoverProvided(server, seeds(2));
    expect([toolsets, discovery.action]).toEqual([['environment: look'], undefined]);
  });

  test("is a tool call if it has OpenEnv's discriminator, and the server is not asked before a reset", async () => {
    const mcp = { properties: { type: { const: 'call_tool' }, ...action.properties } };
    const server = await serverWithoutTasks({ action: mcp, shows: seeded, ws: listing(toolsFrame([tool('look')])) });
    expect((await discoverProvided(server, seeds(2))).toolsets).toEqual(['environment: look']);
    expect(server.sessions.every(({ resets }) => resets.length > 0)).toBe(true);
  });
});

describe('an environment that draws one of two starts at each reset', () => {
  /** Draws one of two starts, as chess draws colors. The first sessions are equal. */
  const drawing = (equal: number) =>
    serverWithoutTasks({
      shows: ({ seed }, session) => observation({ board: `${seed} ${session < equal ? 'white' : 'black'}` }),
    });

  test.each([2, 3, 5])('is not reproducible, even if %i sessions are equal', async (equal) => {
    const { warnings, discovery } = await discoverProvided(await drawing(equal), {
      ...seeds(4),
      prompt: { text: 'Play.', fields: [] },
    });
    expect(warnings.join()).toContain("two sessions with the same values of 'seed' differ");
    expect(discovery.notes?.join()).not.toContain('are reproducible');
  });

  test('has a bounded number of sessions', async () => {
    const server = await serverWithoutTasks({ shows: seeded });
    await discoverProvided(server, {
      provided: { file: jsonl(...[1, 2, 3, 4].map((seed) => ({ seed, prompt: 'Play.' }))) },
    });
    expect(server.sessions.length).toBeLessThanOrEqual(3 + 10);
  });
});

describe('fields that give the answer away', () => {
  test('are left out or, if they may be part of the task, reported', async () => {
    const shows = ({ seed }: Record<string, unknown>) => observation({ board: seed, solution: 'abc', target: 'xyz' });
    const { tasks, warnings } = await discoverProvided(await serverWithoutTasks({ shows }), {
      ...seeds(2),
      prompt: { text: 'Play.', fields: [] },
    });
    expect(tasks[0]?.prompt).toBe('Play.\n\n{"board":5,"target":"xyz"}');
    expect(warnings).toEqual([expect.stringMatching(/^'target' is shown by the reset: .*--prompt-field NAME/)]);
  });

  test('are reported if steps show them', async () => {
    const steps = () => observation({ board: 1, answer: 'abc' }, { reward: 1, done: true });
    const { warnings } = await discoverProvided(await serverWithoutTasks({ shows: seeded, steps }), seeds(2));
    expect(warnings).toEqual([
      expect.stringMatching(/^'answer' is shown by a step: .*remove the field from what steps return/),
    ]);
  });
});

describe('scores', () => {
  test('are known if an episode ended', async () => {
    const metadata = { scores: { acc: 1, note: 'x' } };
    const steps = () => observation({ board: 1 }, { reward: 1, done: true, metadata });
    const { summary } = await discoverProvided(await serverWithoutTasks({ shows: seeded, steps }), seeds(2));
    expect(summary.scores).toEqual(new Set(['acc']));
    const endless = await serverWithoutTasks({ shows: seeded, steps: () => observation({ board: 1 }, { reward: 1 }) });
    expect((await discoverProvided(endless, { ...seeds(2), bounded: true })).summary.scores).toBeUndefined();
  });
});

describe('provided tasks', () => {
  test('with their own prompts need no episode', async () => {
    const server = await serverWithoutTasks({ shows: seeded });
    const tasks = Array.from({ length: 100 }, (_, seed) => ({
      reset: { seed },
      prompt: `Ask ${seed}.`,
      system_prompt: 'Ask.',
    }));
    const found = await discoverProvided(server, { provided: { file: jsonl(...tasks) } });
    expect(found.tasks.map(({ prompt }) => prompt)).toEqual(tasks.map(({ prompt }) => prompt));
    expect(found.tasks[7]).toMatchObject({ systemPrompt: 'Ask.', reset: '{"seed":7}' });
    expect(server.sessions.length).toBeLessThan(16);
  });

  test('whose arguments change nothing are kept, with a warning', async () => {
    const server = await serverWithoutTasks();
    const { tasks, warnings } = await discoverProvided(server, { provided: { file: jsonl({ a: 1 }, { a: 2 }) } });
    expect(tasks).toHaveLength(2);
    expect(warnings[0]).toBe(
      '2 sessions with different reset arguments are equal: check that the reset takes these arguments',
    );
  });

  test('whose resets all fail stop the run, with the error of the server', async () => {
    const server = await serverWithoutTasks({ shows: () => failed('there is no data in /data') });
    expect(await failureOf(discoverProvided(server, seeds(3)))).toMatch(
      /could not start an episode: train\[0\] 'train-0': reset failed: there is no data/,
    );
    const over = await serverWithoutTasks({ shows: () => observation({}, { done: true }) });
    expect(await failureOf(discoverProvided(over, seeds(3)))).toMatch(/the episode ended at the reset/);
    const error = await serverWithoutTasks({ shows: () => observation({ error: 'no such scenario' }) });
    expect(await failureOf(discoverProvided(error, seeds(3)))).toMatch(/reset failed: "no such scenario"/);
  });

  test('whose resets fail are named', async () => {
    const server = await serverWithoutTasks({ shows: (args) => (args.seed === 2 ? failed('bad seed') : seeded(args)) });
    const file = jsonl(...[0, 1, 2, 3, 4, 5].map((seed) => ({ seed })));
    expect(await failureOf(discoverProvided(server, { provided: { file }, probes: 2 }))).toMatch(
      /could not start episodes[\s\S]*train\[2\] 'train-2': reset failed: bad seed/,
    );
  });
});

describe('an environment with tools', () => {
  const listing = { action: null as never, turns: () => [[tool('echo')]] };

  test('has the tools that probes of some tasks found', async () => {
    const server = await serverWithoutTasks({
      ...listing,
      shows: seeded,
      ws: ({ data }) =>
        data?.type === 'list_tools'
          ? toolsFrame([tool('echo')])
          : observation({ result: 'ok' }, { reward: 1, done: true }),
    });
    const { toolsets, discovery } = await discoverProvided(server, seeds(4));
    expect(toolsets).toEqual(['environment: echo']);
    expect(discovery.action).toBeUndefined();
  });

  test('that refuses to list them in an episode is asked over MCP', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 9 } } };
    const server = await serverWithoutTasks({
      action: { title: 'Call', properties: { tool_name: {}, arguments: {} } },
      mcp: { result: { tools: [{ name: 'ask', description: null, inputSchema: schema }] } },
      shows: seeded,
      ws: ({ data }) => {
        if (data?.type !== 'list_tools') return observation({ result: 'ok' }, { reward: 1, done: true });
        return { type: 'error', data: { message: 'unknown action', code: 'VALIDATION_ERROR' } };
      },
    });
    const { tasks } = await discoverProvided(server, seeds(2));
    expect(tasks[0]?.toolset.turns).toEqual([[{ name: 'ask', description: '', parameters: JSON.stringify(schema) }]]);
  });

  test('has no action with fields to hide', async () => {
    const server = await serverWithoutTasks(listing);
    const action = { hide: ['a'], fix: {} };
    expect(await failureOf(discoverProvided(server, { ...seeds(1), action }))).toMatch(
      /has tools, not an action[\s\S]*--hide-field/,
    );
  });
});
