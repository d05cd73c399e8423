import { expect, test } from 'vitest';
import { rolloutOf } from '../../src/report/rollout.js';
import { changeBetween, summarize } from '../../src/report/summary.js';
import { calling, simpleRollout } from './support.js';

const masked = { mask_sample: true, reward: 0, failure_kind: 'openenv:lost_session', failure_reason: 'gone' };
const rollouts = (...lines: object[]) => lines.map((line, at) => rolloutOf(line as Record<string, unknown>, at + 1));

test('masked rollouts are left out of the mean and counted by kind, with the first reason', () => {
  const summary = summarize(
    rollouts(
      simpleRollout({ index: 0, reward: 0 }),
      simpleRollout({ index: 1, reward: 1 }),
      simpleRollout({ index: 2, ...masked }),
      simpleRollout({ index: 3, ...masked, failure_reason: 'later' }),
      simpleRollout({ index: 4, ...masked, failure_kind: 'cancelled' }),
    ),
  );
  expect(summary).toMatchObject({ rollouts: 5, tasks: 5, scored: 2, zero: 1, masked: 3, withoutReward: 0 });
  expect(summary.reward?.mean).toBe(0.5);
  expect(summary.masks).toEqual([
    { name: 'openenv:lost_session', count: 2, reason: 'gone' },
    { name: 'cancelled', count: 1, reason: 'gone' },
  ]);
});

test('rewards that are not numbers are counted, and left out of the mean', () => {
  const summary = summarize(
    rollouts(simpleRollout({ reward: null }), simpleRollout({ reward: '1' }), simpleRollout({ reward: true })),
  );
  expect(summary).toMatchObject({ scored: 1, withoutReward: 2, reward: { mean: 1 } });
});

test('tools are counted by call, and rollouts without a call among those that are not masked', () => {
  const summary = summarize(
    rollouts(
      calling(['buy', 'buy', 'sell'], { index: 0 }),
      simpleRollout({ index: 1 }),
      simpleRollout({ index: 2, ...masked }),
    ),
  );
  expect(summary.tools).toEqual([
    { name: 'buy', count: 2 },
    { name: 'sell', count: 1 },
  ]);
  expect(summary.withoutCall).toBe(1);
  expect(summary.calls).toMatchObject({ least: 0, most: 3, mean: 1 });
});

test('a repeated task without two different rewards has no signal', () => {
  const summary = summarize(
    rollouts(
      ...[0.5, 0.5, 0.5].map((reward) => simpleRollout({ index: 0, reward })),
      ...[0.5, 0.7].map((reward) => simpleRollout({ index: 1, reward })),
      simpleRollout({ index: 2, reward: 1 }),
      simpleRollout({ index: 2, ...masked }),
      simpleRollout({ index: 3, reward: 1 }), // not repeated
    ),
  );
  expect(summary).toMatchObject({ tasks: 4, repeated: 3, withoutSignal: 2 });
});

test('rows without a name are told apart by their number', () => {
  const row = { split: undefined, index: undefined, task_id: undefined };
  const summary = summarize(rollouts(...[0, 0, 1].map((number) => simpleRollout({ ...row, _ng_task_index: number }))));
  expect(summary).toMatchObject({ tasks: 2, repeated: 1 });
});

test('the change between two runs is that of the tasks that both scored', () => {
  const before = rollouts(
    simpleRollout({ index: 0, reward: 0 }),
    simpleRollout({ index: 0, reward: 1 }),
    simpleRollout({ index: 1, reward: 0.2 }),
    simpleRollout({ index: 2, reward: 1 }),
  );
  const after = rollouts(
    simpleRollout({ index: 1, reward: 0.5 }),
    simpleRollout({ index: 0, reward: 0.6 }),
    simpleRollout({ index: 2, ...masked }),
  );
  // 0.6 - 0.5 and 0.5 - 0.2
  expect(changeBetween(before, after)).toMatchObject({ tasks: 2, reward: { mean: expect.closeTo(0.2, 12) } });
  expect(changeBetween(before, [])).toEqual({ tasks: 0 });
});

test('names beyond the first 200 are counted together', () => {
  const names = Array.from({ length: 250 }, (_, at) => `tool_${String(at).padStart(3, '0')}`);
  const { tools } = summarize(rollouts(calling(names)));
  expect(tools).toHaveLength(201);
  expect(tools.at(-1)).toEqual({ name: '50 other names', count: 50 });
});
