import type { Conversation, Move } from '../../e2e/support/model-server.js';

/**
 * The policy that plays each prompt's episodes in the ways that are given, one after another. Which way an episode goes is
 * told by the moves that were made in it.
 */
export function player(plays: ReadonlyMap<string, Move[][]>): (asked: Conversation) => Move {
  const begun = new Map<string, number>();
  return ({ prompt, calls }) => {
    const ways = plays.get(prompt);
    if (ways === undefined) throw new Error(`nobody said how to play ${prompt}`);
    const count = begun.get(prompt) ?? 0;
    if (calls.length === 0) begun.set(prompt, count + 1);
    const way = calls.length === 0 ? ways[count % ways.length] : ways.find((moves) => startsWith(moves, calls));
    if (way === undefined) throw new Error(`no way to play goes on after ${JSON.stringify(calls)}`);
    return way[calls.length] ?? { say: 'Done.' };
  };
}

const startsWith = (moves: readonly Move[], calls: readonly Move[]) =>
  calls.every((call, at) => JSON.stringify(call) === JSON.stringify(moves[at]));
