import { expect, test } from 'vitest';
import { modelFamily } from '../../src/trainers/model-family.js';

test.each(['Qwen/Qwen3-4B', 'qwen3-4b-gridsim-sft', '/models/Qwen3-30B-A3B-Instruct-2507/'])('%s', (model) => {
  expect(modelFamily(model)).toEqual({ toolParser: 'hermes', chatTemplate: { enable_thinking: false } });
});

test('Qwen2.5 does not think', () => {
  expect(modelFamily('Qwen/Qwen2.5-7B-Instruct')).toEqual({ toolParser: 'hermes' });
});

test.each([
  'Qwen/Qwen3.5-35B',
  'Qwen/Qwen3-Coder-30B',
  'Qwen/Qwen2.5-Coder-7B',
  'Qwen/Qwen2-7B',
  'results/step_40',
  '',
])('%s is not known', (model) => expect(modelFamily(model)).toBeUndefined());
