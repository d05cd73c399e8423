// How the tests' model plays bench/server's faulty environment: it submits one schedule, and repeats failed calls.

import type { Conversation, Move } from '../../../src/play/index.js';

const hours = (count: number, value: number) => Array<number>(count).fill(value);
export const SCHEDULE = [...hours(6, 1), ...hours(6, 0), ...hours(6, -1), ...hours(6, 0)];

const SUBMIT: Move = { call: 'submit_schedule', arguments: { schedule: SCHEDULE } };
const END: Move = { say: 'That is the schedule.' };
export const MOVES: Move[] = [SUBMIT, END];

const TRIES = 5;

export function operator({ answers }: Conversation): Move {
  const failed = answers.length === 0 || answers.at(-1) === 'random fault';
  return failed && answers.length < TRIES ? SUBMIT : END;
}
