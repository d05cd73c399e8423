import { expect, it } from 'vitest';
import { renames, renamesUnmatched, renameTaken } from '../../src/rules/index.js';
import { codes } from './support.js';

it('refuses one new name for two tools, and ??? as an old name', () => {
  expect(codes(renames({ a: 'x', b: 'x', c: 'y' }))).toEqual(['rename-collision']);
  expect(codes(renames({ '???': 'x' }))).toEqual(['config-missing']);
});

it('refuses the name of another tool of the server, but not a swap', () => {
  expect(codes(renameTaken('b', { a: 'b' }))).toEqual(['rename-taken']);
  expect(renameTaken('b', { a: 'b', b: 'a' })).toEqual([]);
  expect(renameTaken('c', { a: 'b' })).toEqual([]);
});

it('refuses a rename without a tool, and lists the tools', () => {
  expect(renamesUnmatched({ a: 'b', c: 'd' }, new Set(['c', 'e']))).toMatchObject([
    { code: 'rename-unmatched', fix: "omit it, or name one of: 'c' 'e'" },
  ]);
});

it('suggests the closest tool for a typing error', () => {
  const seen = new Set(['submit', 'end_turn']);
  expect(renamesUnmatched({ subimt: 'a' }, seen).map(({ fix }) => fix)).toEqual(["did you mean 'submit'?"]);
});
