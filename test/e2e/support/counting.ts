// How the tests' model plays the counter: well, badly or not at all, and always the same from the same start.

import type { Conversation, Move } from '../../../src/play/index.js';

const add = (by: number): Move => ({ call: 'step', arguments: { by } });

/** All moves of the model, for a prompt that ends with the observation. */
export function countingMoves(prompt: string): Move[] {
  const { count = 0, goal } = JSON.parse(prompt.split('\n').at(-1) ?? '') as { count?: number; goal: number };
  const ones = Array.from({ length: goal - count }, () => add(1));
  switch (goal % 4) {
    case 0:
      return [...ones, { say: 'There.' }];
    case 1:
      return [add(1), { say: 'Far enough.' }];
    case 2: // refused by the schema, and by the environment itself; then one step too many
      return [add(9), add(5), ...ones, add(1)];
    default:
      return [{ say: 'I would rather not count.' }];
  }
}

export function counting({ prompt, answers }: Conversation): Move {
  return countingMoves(prompt)[answers.length] ?? { say: 'Done.' };
}
