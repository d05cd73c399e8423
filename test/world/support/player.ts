import type { Conversation, Move } from '../../../src/play/index.js';

/**
 * A policy that plays scripted move sequences: each episode of a prompt takes the prompt's next sequence. A running episode
 * is recognized by the moves it has made.
 */
export function player(plays: ReadonlyMap<string, Move[][]>): (asked: Conversation) => Move {
  const begun = new Map<string, number>();
  return ({ prompt, calls }) => {
    const ways = plays.get(prompt);
    if (ways === undefined) throw new Error(`no moves for the prompt ${prompt}`);
    const count = begun.get(prompt) ?? 0;
    if (calls.length === 0) begun.set(prompt, count + 1);
    const way = calls.length === 0 ? ways[count % ways.length] : ways.find((moves) => startsWith(moves, calls));
    if (way === undefined) throw new Error(`no sequence continues ${JSON.stringify(calls)}`);
    return way[calls.length] ?? { say: 'Done.' };
  };
}

const startsWith = (moves: readonly Move[], calls: readonly Move[]) =>
  calls.every((call, at) => JSON.stringify(call) === JSON.stringify(moves[at]));
