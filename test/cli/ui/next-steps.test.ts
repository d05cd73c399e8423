import { expect, test } from 'vitest';
import { nextPlays, nextSteps } from '../../../src/cli/ui/next-steps.js';

const steps = (gymRoot: string, serve?: string, isDemo = false) => nextSteps({ gymRoot }, { serve, isDemo });

test('are three short lines', () => {
  expect(steps('gym-root')).toEqual([
    '',
    'next, without a model:',
    '  gymgen play gym-root --policy idle --limit 20',
    'with a model: see README.md in the folder',
  ]);
});

test('have at most 50 columns, also with a longer root', () => {
  const lines = steps('environments/gym-root', undefined, true);
  expect(lines.slice(2, -1)).toEqual(['  gymgen play environments/gym-root --demo \\', '    --policy idle --limit 20']);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
});

test('name the command that serves a project, except for the demo, which play serves', () => {
  expect(steps('r', 'uv run server')).toContain('  uv run server    # in another terminal');
  expect(steps('r', 'uv run server', true).join('\n')).not.toContain('uv run');
});

test('after idle, play the script of the built-in example, and then a model', () => {
  const lines = nextPlays(['gym-root'], { demo: true, policy: 'idle', playLimit: '20', playOutput: 'played' });
  expect(lines).toEqual([
    '',
    'next, with a script:',
    '  gymgen play gym-root --demo \\',
    '    --policy fixtures/gridsim/policy.yaml \\',
    '    --limit 20',
    'with a model, such as that of a vLLM server:',
    '  gymgen play gym-root --demo \\',
    '    --model-url http://127.0.0.1:8001/v1 \\',
    '    --limit 20',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
});

test('after scripts, play a model with the same rows', () => {
  expect(nextPlays(['my root', 'shop'], { policy: 'scripts.json', playSplit: 'dev', gymPython: 'py' })).toEqual([
    '',
    'with a model, such as that of a vLLM server:',
    "  gymgen play 'my root' shop \\",
    '    --model-url http://127.0.0.1:8001/v1 \\',
    '    --split dev --python py',
  ]);
});
