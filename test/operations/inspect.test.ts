import { expect, test } from 'vitest';
import { inspect } from '../../src/operations/inspect.js';
import { requestOf } from '../../src/operations/request.js';
import { Said } from '../support/discovered.js';
import { serverWithoutTasks } from '../support/provided.js';
import { day, tool } from '../support/served-tasks.js';
import { StandIn } from '../support/stand-in.js';

const ask = (server: StandIn, flags = {}) =>
  inspect(requestOf(server.url, '.', flags), new Said(), new AbortController().signal);

test('reports what a server serves', async () => {
  const server = await StandIn.start({
    splits: { train: [day(0), day(1, { prompt: 'A longer prompt.' })], eval: [day(2)] },
    turns: () => [[tool('trade')], [tool('end_turn')]],
  });
  const { envName, name, interface: kind, splits, toolsets, refused } = await ask(server);
  expect({ envName, name, kind, refused }).toEqual({ envName: 'grid-v1', name: 'grid_v1', kind: 'tools', refused: [] });
  expect(splits).toEqual([
    { name: 'train', count: 2, prompts: { shortest: 6, mean: 11, longest: 16 } },
    { name: 'eval', count: 1, prompts: { shortest: 6, mean: 6, longest: 6 } },
  ]);
  expect(toolsets.map(({ key, turns }) => [key, turns.length])).toEqual([['agent:solver', 1]]);
});

test('reports everything that NeMo Gym would reject', async () => {
  const server = await StandIn.start({
    splits: { train: [day(0, { prompt: '' })] },
    turns: () => [[tool('verify'), tool('a.b')]],
  });
  expect((await ask(server)).refused.map(({ code }) => code).sort()).toEqual(['row-prompt', 'tool-name', 'tool-route']);
});

test('probes a server without the Task API as requested', async () => {
  const server = await serverWithoutTasks();
  const { interface: kind, notes, splits } = await ask(server, { episodes: '3', prompt: 'Play.' });
  expect({ kind, notes }).toEqual({ kind: 'action', notes: ['prompt: --prompt, followed by the observation'] });
  expect(splits.map(({ count }) => count)).toEqual([1]);
});
