import { expect, test } from 'vitest';
import { datasetsOf } from '../../src/gym/datasets.js';
import type { DatasetChoice } from '../../src/model.js';

const chosen = (splits: DatasetChoice['splits'], written: string[]) => datasetsOf({ splits, license: 'TBD' }, written);
const usual = { license: 'TBD', examples: false };

test.each<[written: string[], found: object | undefined]>([
  [['all', 'train', 'eval'], { ...usual, train: 'train', validation: 'eval' }],
  [['train'], { ...usual, train: 'train' }],
  [['test', 'eval', 'dev', 'val', 'validation'], { ...usual, validation: 'validation' }],
  [['test', 'eval', 'dev', 'val'], { ...usual, validation: 'val' }],
  [['test', 'eval', 'dev'], { ...usual, validation: 'dev' }],
  [['test', 'eval'], { ...usual, validation: 'eval' }],
  [['test'], { ...usual, validation: 'test' }],
  [['all', 'Train', 'holdout'], undefined],
])('the default datasets of the splits %j', (written, found) => {
  expect(chosen('usual', written)).toEqual(found);
});

test('named splits are the only datasets, and have example rows', () => {
  expect(chosen({ train: 'all' }, ['all', 'eval'])).toEqual({ train: 'all', license: 'TBD', examples: true });
});

test('there may be no datasets', () => {
  expect(chosen('none', ['train', 'eval'])).toBeUndefined();
});
