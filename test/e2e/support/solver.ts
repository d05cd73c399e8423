// How the tests' model plays the AgentEnv bundles: its moves on each task, some of them wrong.

import type { Conversation, Move } from '../../../src/play/index.js';

const call = (name: string, args: Record<string, unknown>): Move => ({ call: name, arguments: args });
const endTurn = (response: string) => call('end_turn', { response });
const say = (text: string): Move => ({ say: text });

/** All moves of the model on a task, by the last segment of the task's id. Tools have the server's names. */
const MOVES: Record<string, Move[]> = {
  // qa-v1: the reply is scored
  add: [say('17 + 25 is easy.\nANSWER: 42')],
  capital: [endTurn('ANSWER: Canberra')],
  reverse: [say('ANSWER: loopback')], // wrong
  prime: [say('ANSWER: 101')],
  unicode: [say('Réponse : « hiver »\nANSWER: Hiver')],

  // tools-v1: the tools of one server, of the other, of both, or of none
  'calc-sum': [call('calculate', { op: 'add', operands: [1234.5, 8765.5] }), say('10000')],
  'calc-convert': [
    call('convert', { value: 5, unit_from: 'km', unit_to: 'furlong' }), // refused
    call('convert', { value: 5, unit_from: 'km', unit_to: 'mi' }),
    say('3.11 miles'),
  ],
  'notes-find': [call('search_notes', { query: 'launch code' }), endTurn('ZX-81')],
  'notes-count': [call('calculate', { op: 'add', operands: [1, 2] }), say('There are two.')], // a tool of another task; wrong
  'both-budget': [
    call('search_notes', { query: 'budget', limit: 1 }),
    call('calculate', { op: 'add', operands: [20, 15, 7], rounding: { decimals: 0 } }),
    say('42'),
  ],
  'calc-stats': [call('stats', { data: [3, 9, 1, 7, 5], want: ['median'] }), say('5')],
  'notes-add': [call('add_note', { note: { title: 'milk — lait 🥛', priority: 'high' } }), say('n-0123abcd')],
  'no-tools': [say('ready')],

  // multi-v1: end_turn ends each turn, and its result is the prompt of the next turn
  'two-turns': [call('calculate', { op: 'mul', operands: [6, 7] }), endTurn('42'), endTurn('43')],
  'new-system': [endTurn('Hello, and welcome.'), say('Bye.')],
  'same-conversation': [say('ok')], // never answers the second turn
  partial: [endTurn('spring, summer and winter')],
  unscored: [say('Anything.')],
};

export function movesOf(taskId: string): Move[] {
  const moves = MOVES[taskId.split('/').at(-1) ?? ''];
  if (moves === undefined) throw new Error(`the model has no moves for ${taskId}`);
  return moves;
}

/**
 * The policy that makes these moves. It recognizes a task by its prompt, and calls tools by their names in the rows.
 */
export function solver(ids: Map<string, string>, renamed: Record<string, string>): (asked: Conversation) => Move {
  return ({ prompt, answers }) => {
    const move = movesOf(ids.get(prompt) ?? prompt)[answers.length] ?? say('');
    return 'call' in move ? { ...move, call: renamed[move.call] ?? move.call } : move;
  };
}
