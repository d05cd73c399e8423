import { describe, expect, test } from 'vitest';
import { widthOf } from '../../../src/cli/ui/cut.js';
import { duration, ProgressText } from '../../../src/cli/ui/progress-text.js';
import type { Progress } from '../../../src/reporter.js';
import { TestClock } from '../../support/test-clock.js';

const read = (done: number, total?: number, from = 'train'): Progress => {
  return { phase: 'read', from, unit: 'tasks', done, ...(total === undefined ? {} : { total }) };
};

/** The line after events at these seconds. */
function lineAfter(events: readonly (readonly [seconds: number, Progress])[], until: number, columns?: number): string {
  const clock = new TestClock();
  const text = new ProgressText(clock);
  for (const [seconds, progress] of events) {
    clock.pass(1000 * seconds - clock.now());
    text.update(progress);
  }
  clock.pass(1000 * until - clock.now());
  return text.line(columns);
}

test.each<[string, [number, Progress][], seconds: number]>([
  ['waiting for http://h:8000', [[0, { phase: 'connect', server: 'http://h:8000' }]], 0.9],
  ['waiting for http://h:8000, 10 s', [[0, { phase: 'connect', server: 'http://h:8000' }]], 10],
  [
    'probing 1 of 3 toolsets, 2 of 9 tasks, 10 s',
    [[0, { phase: 'probe', done: 0, total: 3, tasks: { done: 2, total: 9 } }]],
    10,
  ],
  ['probing 1 of 1 toolset, 10 s', [[0, { phase: 'probe', done: 0, total: 1, tasks: { done: 0, total: 1 } }]], 10],
  ['train 0 of 20,000 tasks, 4 s', [[0, read(0, 20_000)]], 4],
  ['train 256 of 20,000 tasks, 1 %', [[0, read(256, 20_000)]], 0],
  [
    'train 7,200 of 20,000 tasks, 36 % in 4 s, 1,800 a second, 7 s left',
    [
      [0, read(0, 20_000)],
      [4, read(7200, 20_000)],
    ],
    4,
  ],
  [
    'train 20,000 of 20,000 tasks, 100 % in 4 s, 5,000 a second',
    [
      [0, read(0, 20_000)],
      [4, read(20_000, 20_000)],
    ],
    4,
  ],
  [
    'train 7,200 tasks in 4 s, 1,800 a second',
    [
      [0, read(0)],
      [4, read(7200)],
    ],
    4,
  ],
  ['installing uv, 23 s', [[0, { phase: 'install', what: 'uv' }]], 23],
  ["starting NeMo Gym's servers, 9 s", [[0, { phase: 'start', what: "NeMo Gym's servers" }]], 9],
  [
    "starting NeMo Gym's servers, 1 of 3 ready, 9 s",
    [
      [0, { phase: 'start', what: "NeMo Gym's servers" }],
      [8, { phase: 'start', what: "NeMo Gym's servers", done: 1, total: 3 }],
    ],
    9,
  ],
  [
    'played 1 of 20 rollouts, 5 % in 1 min 40 s, 0.6 a minute, 31 min 40 s left',
    [
      [0, { phase: 'play', done: 0, total: 20 }],
      [100, { phase: 'play', done: 1, total: 20 }],
    ],
    100,
  ],
  ['busy: trying again in 8 s', [[0, { phase: 'wait', reason: 'busy', seconds: 10 }]], 2],
  [
    'busy: trying again in 9 s',
    [
      [0, { phase: 'wait', reason: 'busy', seconds: 10 }],
      [5, { phase: 'wait', reason: 'busy', seconds: 10 }],
    ],
    6,
  ],
  ['validating gym-root, 3 s', [[0, { phase: 'step', what: 'validating gym-root' }]], 3],
])('%s', (line, events, seconds) => expect(lineAfter(events, seconds)).toBe(line));

test('the time in which another phase took its turn does not count', () => {
  const probe: Progress = { phase: 'probe', done: 0, total: 1, tasks: { done: 0, total: 1 } };
  const events: [number, Progress][] = [
    [0, read(0, 100)],
    [2, probe],
    [8, read(50, 100)],
  ];
  expect(lineAfter(events, 10)).toBe('train 50 of 100 tasks, 50 % in 4 s, 13 a second, 4 s left');
});

test('a name that fits is not cut', () => {
  const events: [number, Progress][] = [[0, { phase: 'connect', server: 'http://127.0.0.1:8000' }]];
  expect(lineAfter(events, 3, 49)).toBe('waiting for http://127.0.0.1:8000, 3 s');
});

describe('a narrow terminal', () => {
  const events: [number, Progress][] = [
    [0, read(0, 20_000)],
    [4, read(7200, 20_000)],
  ];

  test.each([
    [79, 'train 7,200 of 20,000 tasks, 36 % in 4 s, 1,800 a second, 7 s left'],
    [60, 'train 7,200 of 20,000 tasks, 36 % in 4 s, 7 s left'],
    [49, 'train 7,200 of 20,000 tasks, 36 %, 7 s left'],
    [40, 'train 7,200 of 20,000 tasks, 36 %'],
    [30, 'train 7,200 of 20,000 tasks'],
    [12, 'tra… 7,200 o…'],
  ])('%i columns', (columns, line) => expect(lineAfter(events, 4, columns)).toBe(line));

  test.each(['x'.repeat(200), '\u001b[2J\n'.repeat(20), '测试'.repeat(50)])(
    'a long name is cut, the counts are not: %j',
    (name) => {
      const named: [number, Progress][] = [
        [0, read(0, 20_000, name)],
        [4, read(7200, 20_000, name)],
      ];
      for (const columns of [49, 79]) {
        const line = lineAfter(named, 4, columns);
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(line).toContain('… 7,200 of 20,000 tasks');
        expect(line).not.toContain('\u001b');
      }
    },
  );
});

test.each([
  [0.6, '1 s'],
  [59.4, '59 s'],
  [60, '1 min 0 s'],
  [125, '2 min 5 s'],
  [3780, '1 h 3 min'],
])('%d seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));
