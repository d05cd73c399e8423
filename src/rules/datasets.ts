import type { Datasets } from '../model.js';
import { error, type Finding, quote } from './finding.js';

/** Number of rows in `data/example.jsonl` (`_validate_data_single`, nemo_gym/cli/env.py). */
export const EXAMPLE_ROWS = 5;

/** Values of `DatasetConfig.license` (nemo_gym/config_types.py). They are not SPDX names. */
export const LICENSES = [
  'Apache 2.0',
  'MIT',
  'Creative Commons Attribution 4.0 International',
  'Creative Commons Attribution-ShareAlike 4.0 International',
  'CC BY-SA 4.0',
  'CC BY-NC 3.0',
  'NVIDIA Internal Use Only, Do Not Distribute',
  'NVIDIA Evaluation Dataset License Agreement',
  'TBD',
  'GNU General Public License v3.0',
] as const;

/** Gym's names of licenses, by common names in lower case without spaces and dashes. */
const COMMON_NAMES = new Map([
  ['apache', 'Apache 2.0'],
  ['apache2.0', 'Apache 2.0'],
  ['ccby4.0', 'Creative Commons Attribution 4.0 International'],
  ['ccbysa4.0', 'CC BY-SA 4.0'],
  ['ccbync3.0', 'CC BY-NC 3.0'],
  ['gpl3.0', 'GNU General Public License v3.0'],
  ['gpl3.0only', 'GNU General Public License v3.0'],
  ['gpl3.0orlater', 'GNU General Public License v3.0'],
  ['mit', 'MIT'],
]);

/** `dataset-license`: a name that Gym's `DatasetConfig` accepts. */
export function license(name: string): Finding[] {
  if ((LICENSES as readonly string[]).includes(name)) return [];
  const meant = COMMON_NAMES.get(name.toLowerCase().replace(/[\s_-]+/g, ''));
  const all = LICENSES.map((one) => `"${one}"`).join(', ');
  const fix = meant === undefined ? `use --license with one of: ${all}` : `use --license "${meant}"`;
  return [error('dataset-license', `license ${quote(name)}`, 'is not a license name of NeMo Gym', fix)];
}

/** `dataset-split`: a dataset is a split that is written. */
export function datasetSplits(datasets: Datasets, splits: readonly string[]): Finding[] {
  return (['train', 'validation'] as const).flatMap((type) => {
    const split = datasets[type];
    if (split === undefined || splits.includes(split)) return [];
    const fix = `name one of: ${splits.map(quote).join(' ') || '(none)'}`;
    return [error('dataset-split', `--datasets ${quote(`${type}=${split}`)}`, 'split is not written', fix)];
  });
}

/** `dataset-example`: `data/example.jsonl` has exactly five rows (`_validate_data_single`, nemo_gym/cli/env.py). */
export function exampleRows(split: string, rows: number): Finding[] {
  if (rows >= EXAMPLE_ROWS) return [];
  const problem = `has ${rows} rows; data/example.jsonl needs ${EXAMPLE_ROWS}`;
  const fix = 'name a larger split in --datasets, raise --limit, or omit --datasets';
  return [error('dataset-example', `split ${quote(split)}`, problem, fix)];
}
