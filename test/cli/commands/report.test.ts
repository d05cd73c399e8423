import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calling, linesFile, simpleRollout, tempFolder } from '../../report/support.js';
import { gymgenHere } from '../../support/cli-here.js';

const lines = [
  calling(['buy'], { index: 0, reward: 1 }),
  simpleRollout({ index: 1, reward: 0 }),
  simpleRollout({
    index: 2,
    mask_sample: true,
    reward: 0,
    failure_kind: 'openenv:lost_session',
    failure_reason: 'gone\u202e',
  }),
  '{"reward": ',
];

test('stdout has the result, and stderr the figures and the lines that could not be read', async () => {
  const cwd = tempFolder();
  linesFile(join(cwd, 'rollouts.jsonl'), lines);
  const { stdout, stderr, exitCode } = await gymgenHere(['report', 'rollouts.jsonl'], { cwd });
  expect({ stdout, exitCode }).toEqual({ stdout: 'wrote report.html\n', exitCode: 0 });
  expect(stderr).toBe(
    'rollouts.jsonl: 3 rollouts, mean reward 0.500 (95 % interval -5.853 to 6.853), 1 masked\n' +
      'rollouts.jsonl:4: not valid JSON\n',
  );
  expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toContain('<h1>rollouts.jsonl</h1>');
});

test('--json prints the summary', async () => {
  const cwd = tempFolder();
  linesFile(join(cwd, 'rollouts.jsonl'), lines);
  const { stdout } = await gymgenHere(['report', 'rollouts.jsonl', '-o', 'page.html', '--json'], { cwd });
  expect(JSON.parse(stdout)).toEqual({
    status: 'wrote',
    file: 'page.html',
    kind: 'rollouts',
    runs: [
      {
        file: 'rollouts.jsonl',
        summary: {
          rollouts: 3,
          tasks: 3,
          agents: ['agent'],
          scored: 2,
          withoutReward: 0,
          reward: { mean: 0.5, low: expect.any(Number), high: expect.any(Number) },
          zero: 1,
          masked: 1,
          masks: [{ name: 'openenv:lost_session', count: 1, reason: 'gone\\u202e' }],
          withoutCall: 1,
          calls: { count: 3, mean: 1 / 3, least: 0, median: 0, p95: expect.closeTo(0.9, 10), most: 1 },
          turns: { count: 3, mean: 1, least: 1, median: 1, p95: 1, most: 1 },
          tools: [{ name: 'buy', count: 1 }],
          repeated: 0,
          withoutSignal: 0,
        },
        unreadable: { count: 1, first: [{ line: 4, problem: 'not valid JSON' }] },
      },
    ],
  });
});

test.each([
  [['report'], /missing required argument 'inputs'/],
  [['report', 'nowhere.jsonl'], /no such file or folder[\s\S]*nowhere\.jsonl/],
  [
    ['report', 'rollouts.jsonl', '--max-total-sequence-length', '4k'],
    /--max-total-sequence-length must be a whole number/,
  ],
  [['report', 'rollouts.jsonl', '-o', 'rollouts.jsonl'], /file exists and is not a gymgen report/],
])('%j ends with 2', async (args, message) => {
  const cwd = tempFolder();
  linesFile(join(cwd, 'rollouts.jsonl'), lines);
  const { stderr, exitCode } = await gymgenHere(args, { cwd });
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(2);
});
