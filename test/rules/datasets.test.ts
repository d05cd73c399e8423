import { expect, it } from 'vitest';
import { datasetSplits, exampleRows, LICENSES, license } from '../../src/rules/index.js';
import { codes } from './support.js';

it.each(LICENSES)('accepts the license %s', (name) => {
  expect(license(name)).toEqual([]);
});

it.each([
  ['Apache-2.0', 'Apache 2.0'],
  ['mit', 'MIT'],
  ['CC-BY-4.0', 'Creative Commons Attribution 4.0 International'],
  ['GPL-3.0-only', 'GNU General Public License v3.0'],
  ['Proprietary', '"TBD"'],
  ['constructor', '"TBD"'],
])('refuses the license %s and suggests %s', (name, suggestion) => {
  expect(license(name)[0]?.fix).toContain(suggestion);
});

it('refuses a dataset of a split that is not written', () => {
  const datasets = { train: 'train', validation: 'nope', license: 'MIT', examples: true };
  expect(datasetSplits(datasets, ['train', 'eval'])).toMatchObject([
    { code: 'dataset-split', subject: "--datasets 'validation=nope'", fix: "name one of: 'train' 'eval'" },
  ]);
});

it('needs five example rows', () => {
  expect(codes(exampleRows('train', 4))).toEqual(['dataset-example']);
  expect(exampleRows('train', 5)).toEqual([]);
});
