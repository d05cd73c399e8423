import { describe, expect, it } from 'vitest';
import { splitNames } from '../../src/rules/index.js';

function codes(names: string[], example = false): string[] {
  return splitNames(names, { example }).map(({ code }) => code);
}

describe('split names', () => {
  it('accepts file names', () => {
    expect(codes(['all', 'train', 'eval', 'Dev-1.2', 'my split', 'example', 'conflicts', '2024', 'a%b+c@d'])).toEqual(
      [],
    );
  });

  it.each([
    ['', 'split-file'],
    ['a/b', 'split-file'],
    ['..', 'split-file'],
    ['../x', 'split-file'],
    ['.hidden', 'split-file'],
    ['-rf', 'split-file'],
    ['a=b', 'split-file'],
    ['a,b', 'split-file'],
    ['é', 'split-file'],
    ['a\0b', 'split-file'],
    ['a\nb', 'split-file'],
    ["a'b", 'split-file'],
    ['a ', 'split-file'],
    ['x'.repeat(101), 'split-file'],
    ['train_prepare', 'split-derived'],
    ['Train_Metrics', 'split-derived'],
    ['example_rollouts', 'split-derived'],
  ])('refuses %j', (name, code) => {
    expect(codes([name])).toEqual([code]);
  });

  it('refuses names that clash with the example rows, if there are any', () => {
    expect(codes(['example', 'Example', 'conflict-1'], true)).toEqual([
      'split-example',
      'split-example',
      'split-example',
      'split-collision',
    ]);
  });

  it.each(['CON', 'nul', 'Aux.v2', 'com0', 'LPT9', 'train.', 'a..'])(
    'refuses %j, which Windows cannot check out',
    (name) => {
      expect(splitNames([name], { example: false }).map(({ code }) => code)).toEqual(['split-windows']);
    },
  );

  it.each(['console', 'con_v1', 'com10', 'v1.nul', 'a.b'])('accepts %j', (name) => {
    expect(splitNames([name], { example: false })).toEqual([]);
  });

  it('refuses two names that differ only in case, and names both', () => {
    const [finding] = splitNames(['Train', 'eval', 'train'], { example: false });
    expect(finding).toMatchObject({ code: 'split-collision', subject: "split 'train'" });
    expect(finding?.problem).toContain("'Train'");
  });

  it('shows names that differ only in their Unicode form with escapes', () => {
    const found = splitNames(['caf\u00e9', 'cafe\u0301'], { example: false }).filter(
      ({ code }) => code === 'split-collision',
    );
    expect(found).toMatchObject([
      { subject: "split 'cafe\\u0301'", problem: "differs from split 'caf\\u00e9' only in its Unicode form" },
    ]);
  });
});
