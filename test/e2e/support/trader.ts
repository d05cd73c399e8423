// How the tests' model plays gridsim: well or badly, and always the same on the same day, so that there are rewards of
// all sizes.

import type { Conversation, Move } from '../../../src/play/index.js';

const HOURS = 24;

interface Day {
  task_id: string;
  prices: number[];
  battery: { capacity_mwh: number; efficiency_percent: number };
}

/** All moves of the model on a day, in order. The last move is its reply, unless it calls `end_turn`. */
export function movesOn(prompt: string): Move[] {
  const day = JSON.parse(prompt) as Day;
  const submit = (schedule: number[]): Move => ({ call: 'submit_schedule', arguments: { schedule } });
  const end: Move = { call: 'end_turn', arguments: { response: 'done' } };
  const number = Number(day.task_id.replace(/^\D+/, ''));
  switch (number % 6) {
    case 0:
      return [submit(arbitrage(day)), end];
    case 1: // never ends its turn, so NeMo Gym's verify ends it
      return [submit(arbitrage(day)), { say: 'That is my plan.' }];
    case 2:
      return [submit(Array(HOURS).fill(0)), end]; // idles
    case 3:
      return [
        submit([...arbitrage(day).reverse()]),
        submit(arbitrage({ ...day, prices: day.prices.slice(0, 12) })),
        end,
      ];
    case 4: // refused arguments, a missing tool, then a plan that loses money or is refused
      return [submit([1, 2, 3]), { call: 'sell_all', arguments: {} }, submit(buyDear(day)), end];
    default:
      return [{ say: 'I would rather not trade.' }];
  }
}

/** The policy that makes these moves. The number of outputs so far is the number of moves made. */
export function trader({ prompt, answers }: Conversation): Move {
  return movesOn(prompt)[answers.length] ?? { say: 'The day is over.' };
}

/** Charges in the cheapest hours before the most expensive ones, and sells in those: a profit, but not the optimum. */
function arbitrage({ prices, battery }: Day): number[] {
  const schedule = Array<number>(HOURS).fill(0);
  const cheapest = prices.map((_, hour) => hour).sort((a, b) => price(prices, a) - price(prices, b));
  const half = prices.length >> 1;
  const charge = cheapest.filter((hour) => hour < half).slice(0, battery.capacity_mwh);
  const sell = cheapest.filter((hour) => hour >= half).slice(-battery.capacity_mwh);
  const count = Math.min(charge.length, sell.length);
  for (const hour of charge.slice(0, count)) schedule[hour] = 1;
  for (const hour of sell.slice(-count)) schedule[hour] = -1;
  return schedule;
}

function buyDear({ prices, battery }: Day): number[] {
  const dearest = prices.indexOf(Math.max(...prices));
  return prices.map((_, hour) => Number(hour === dearest || (hour > dearest && hour < dearest + battery.capacity_mwh)));
}

const price = (prices: number[], hour: number) => prices[hour] as number;
