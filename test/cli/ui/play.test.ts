import { describe, expect, test } from 'vitest';
import { type PlayContext, playDocument, summaryLines } from '../../../src/cli/ui/play.js';
import { PlayDocument } from '../../../src/documents/schemas/play.js';
import type { PlayReport } from '../../../src/operations/play.js';
import { rolloutOf, summarize } from '../../../src/report/index.js';

const call = { type: 'function_call', name: 'pay', arguments: '{}' };
const said = { type: 'message', role: 'assistant', content: [] };
const rollout = (index: number, reward: number, output: object[], more: object = {}) => ({
  split: 'eval',
  index,
  reward,
  response: { output, usage: { input_tokens: 100, output_tokens: 20 } },
  ...more,
});

function report(rollouts: object[], more: Partial<PlayReport> = {}): PlayReport {
  return {
    servers: [{ name: 'shop', split: 'eval', rows: 2 }],
    model: { url: 'http://h/v1', model: 'm', type: 'vllm_model' },
    folder: 'play-shop',
    files: ['gym.log', 'rollouts.jsonl'],
    summary: summarize(rollouts.map((each, at) => rolloutOf(each as Record<string, unknown>, at + 1))),
    failed: 0,
    times: { environment: 0.04, start: 30, rollouts: 9.26, stop: 4 },
    ...more,
  };
}

const MASK = { mask_sample: true, failure_kind: 'session_lost', failure_reason: 'the server is gone\u001b[2J' };

describe('the summary', () => {
  test('has the reward, its histogram, calls, tokens, groups, times and files', () => {
    const rollouts = [
      rollout(0, 0, [call, said]),
      rollout(0, 1, [call, call]),
      rollout(1, 0.5, [said]),
      rollout(1, 0.5, [call]),
    ];
    const histogram = { start: 0, step: 0.5, counts: [1, 3] };
    expect(summaryLines(report(rollouts, { histogram })).join('\n')).toBe(`\
shop: 2 rows of eval
mean reward 0.500 (95 % interval 0.500 to 0.500) of 4 rollouts
  0.000  ██████████ 1
  0.500  ██████████████████████████████ 3
no tool called: 25 % (1 of 4)
per rollout, mean (maximum): tool calls 1 (2), model calls 1 (1), prompt tokens 100 (100), generated tokens 20 (20)
tasks whose repeats all scored the same: 1 of 2
seconds: environment 0.0, start 30.0, rollouts 9.3, stop 4.0
files: play-shop/rollouts.jsonl, gym.log, …
report: gymgen report play-shop/rollouts.jsonl`);
  });

  test('shows empty rows of the histogram that follow each other as one', () => {
    const lines = (...counts: number[]) => {
      const histogram = { start: 0, step: 0.1, counts };
      return summaryLines(report([rollout(0, 0, [call])], { histogram })).filter((line) =>
        / {2}(?:█* )?\d+$/.test(line),
      );
    };
    expect(lines(1, 0, 0, 0, 1, 0, 1, 0, 0)).toEqual([
      `  0.000  ${'█'.repeat(30)} 1`,
      '      …  0',
      `  0.400  ${'█'.repeat(30)} 1`,
      '  0.500  0',
      `  0.600  ${'█'.repeat(30)} 1`,
      '      …  0',
    ]);
  });

  test('says what the reward of idle means, and those of the built-in example', () => {
    const { model: _, ...played } = report([rollout(0, 0, [said])]);
    const meaning = (context: PlayContext) => summaryLines(played, context)[2];
    expect(meaning({ isIdle: true })).toBe('  idle calls no tool: a model must score more');
    expect(meaning({ isIdle: true, isDemo: true })).toMatch(/^ {2}idle calls no tool, so 0 is expected /);
    expect(meaning({ isDemo: true })).toMatch(/^ {2}no schedule: 0, /);
    expect(meaning({})).toMatch(/^no tool called: /);
  });

  test('leaves masked rollouts out of the mean, and names their kinds', () => {
    const lines = summaryLines(report([rollout(0, 1, [call]), rollout(1, 0, [call], MASK)], { failed: 2 }));
    expect(lines).toContain('mean reward 1.000 (too few tasks for an interval) of 1 rollout; left out: 1 masked');
    expect(lines).toContain('masked: 1 of 2');
    expect(lines.find((line) => line.includes('session_lost'))).toMatch(/^ {2}1 session_lost: the server is gone/);
    expect(lines).toContain('2 rollouts failed and left out: see rollouts_failures.jsonl');
  });

  test('says what it usually means if no tool is called, but not of a policy', () => {
    const silent = [rollout(0, 0, [said]), rollout(1, 0, [said])];
    expect(summaryLines(report(silent)).join('\n')).toContain('no tool parser; vLLM: --enable-auto-tool-choice');
    const { model: _, ...played } = report(silent);
    expect(summaryLines(played).join('\n')).not.toContain('parser');
  });

  test('of masked rollouts only has no mean', () => {
    const lines = summaryLines(report([rollout(0, 0, [], MASK)]));
    expect(lines).toContain('mean reward: none of 1 rollout has a score; left out: 1 masked');
    expect(lines).toContain('no tool called: – (0 of 0)');
  });
});

test('the document has its schema', () => {
  const full = report([rollout(0, 1, [call]), rollout(1, 0, [call], MASK)], {
    histogram: { start: 0, step: 1, counts: [1] },
  });
  expect(PlayDocument.parse(playDocument(full))).toMatchObject({
    status: 'played',
    model: { type: 'vllm_model', url: 'http://h/v1', name: 'm' },
  });
  const { model: _, ...played } = full;
  expect(PlayDocument.parse(playDocument(played))).not.toHaveProperty('model');
});
