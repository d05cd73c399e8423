import { expect, it } from 'vitest';
import { parseJson } from '../../src/json/json-string.js';
import { row } from '../../src/rules/index.js';
import { task } from '../gym/discovery.js';

it.each([
  [{}, []],
  [{ systemPrompt: null }, []],
  [{ systemPrompt: '' }, []],
  [{ prompt: '' }, ['row-prompt']],
  [{ prompt: '\ud83d' }, ['row-prompt']],
  [{ systemPrompt: 'x\udc00' }, ['row-system-prompt']],
  [{ id: '' }, ['row-id']],
  [{ id: '\ud800', prompt: '' }, ['row-prompt', 'row-id']],
  [{ prompt: null as unknown as string }, ['row-prompt']],
  [{ reset: '{"seed":1}' }, []],
  [{ reset: '{"seed":1e999}' }, ['row-reset']],
  [{ reset: '{"seed":123456789012345678901}' }, ['row-reset']],
  [{ prompt: parseJson(Buffer.from(JSON.stringify('x'.repeat(2000)))) as string }, []],
  [{ systemPrompt: 3 as unknown as string }, ['row-system-prompt']],
])('findings for a task with %j: %j', (changes, codes) => {
  expect(row(task(3, changes)).map(({ code }) => code)).toEqual(codes);
});

it('names the task, the field and the reason', () => {
  expect(row(task(3, { prompt: '' }))).toEqual([
    {
      code: 'row-prompt',
      severity: 'error',
      subject: "task train[3] '@local/srv/envs/gridsim-v1/day-3'",
      problem: 'its prompt is empty',
      fix: expect.stringContaining('--split'),
    },
  ]);
});
