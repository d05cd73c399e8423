import { describe, expect, test } from 'vitest';
import { parseServerUrl, Session } from '../../src/openenv/index.js';
import { discoverAll } from '../support/discovered.js';
import { failureOf } from '../support/failure-of.js';
import { refuseWarnings } from '../support/leaks.js';
import { frames, recorded } from '../support/recorded.js';
import { StandIn } from '../support/stand-in.js';

refuseWarnings();

const CALC = 'calculate convert stats';
const NOTES = 'search_notes add_note read_note';

describe('AgentEnv, as recorded', () => {
  test('tools-v1 has several undeclared toolsets', async () => {
    const server = await recorded('tools-v1');
    const found = await discoverAll(server.url);
    expect(found.envName).toBe('tools-v1');
    expect(found.splits).toEqual(['all: 8', 'eval: 3', 'train: 5']);
    expect(found.toolsets.map((text) => text.replace('@local/srv/agentenv/tools-v1/', ''))).toEqual([
      `task:both-budget: ${CALC} ${NOTES} end_turn`,
      `task:calc-convert: ${CALC} end_turn`,
      'task:no-tools: end_turn',
      `task:notes-add: ${NOTES} end_turn`,
    ]);
    expect(server.resets).toHaveLength(8);
    expect(found.warnings).toEqual([]);
    const train = found.tasks.filter(({ split }) => split === 'train');
    expect(train.map(({ toolset }) => toolset.turns[0]?.length)).toEqual([4, 4, 4, 4, 7]);
  });

  test('schemas are the same text as in the frames', async () => {
    const server = await recorded('tools-v1');
    const { tasks } = await discoverAll(server.url, { splits: ['all'] });
    const sent = frames('tools-v1', 'ws-tool-lists-per-task.jsonl').map(({ frame }) => frame);
    for (const { parameters } of tasks.flatMap(({ toolset }) => toolset.turns.flat())) {
      expect(sent.some((frame) => typeof frame === 'string' && frame.includes(`"input_schema":${parameters}`))).toBe(
        true,
      );
    }
  });

  test('multi-v1 has tasks of two turns, with and without tools', async () => {
    const server = await recorded('multi-v1');
    const { toolsets } = await discoverAll(server.url, { splits: ['train'] });
    expect(toolsets.map((text) => text.replace('@local/srv/agentenv/multi-v1/', ''))).toEqual([
      `task:two-turns: ${CALC} end_turn | ${CALC} end_turn`,
      'task:new-system: end_turn | end_turn',
    ]);
  });

  test('multi-v1 has a task with a turn that times out', async () => {
    const server = await recorded('multi-v1');
    expect(await failureOf(discoverAll(server.url))).toMatch(
      /^all\[3\] 'timeout': turn 1 did not end: .*episode has ended.*\nfix/m,
    );
  });

  test('qa-v1 has no tool but end_turn', async () => {
    const server = await recorded('qa-v1');
    const { toolsets, tasks } = await discoverAll(server.url, { splits: ['train'], limit: 2 });
    expect(toolsets).toEqual(['agent:solver: end_turn']);
    expect(tasks.map(({ prompt }) => prompt)).toEqual(['What is 17 + 25?', 'What is the capital of Australia?']);
  });
});

/** A session in which each request is answered with the next recorded frame. */
async function replayed(bundle: string, file: string) {
  const sent = frames(bundle, file).flatMap(({ dir, frame }) => (dir === '<' ? [frame] : []));
  const server = await StandIn.start({ ws: () => sent.shift() ?? null });
  return Session.open(parseServerUrl(server.url), { headers: {}, signal: new AbortController().signal });
}

describe('failures, as recorded', () => {
  test.each<[bundle: string, file: string, RegExp[]]>([
    [
      'qa-v1',
      'ws-reset-errors.jsonl',
      [
        /no split 'nope'/,
        /it has no task 99/,
        /it has no task -1/,
        /split and index go together/,
        /split and index/,
        /^EXECUTION_ERROR/,
        /^EXECUTION_ERROR: tuple/,
      ],
    ],
    ['clash-v1', 'ws-reset-errors.jsonl', [/409 Conflict/, /502 Bad Gateway/]],
    ['qa-v1', 'ws-capacity-3-over.jsonl', [/the server is full: 2 of its 2 sessions are in use/]],
  ])('%s %s', async (bundle, file, message) => {
    const session = await replayed(bundle, file);
    for (const words of message) {
      const reset = session.reset('{}', 5).then(({ metadata }) => {
        if (metadata?.status !== 'error') throw new Error('it did not fail');
        return String(metadata.error);
      });
      expect(await reset.catch(() => failureOf(reset))).toMatch(words);
    }
    await session.close();
  });
});
