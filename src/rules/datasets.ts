import type { Datasets } from '../model.js';
import { type Finding, quote } from './finding.js';

/** Rows that Gym wants in `data/example.jsonl` (nemo_gym/cli/env.py, `_validate_data_single`). */
export const EXAMPLE_ROWS = 5;

/** What `DatasetConfig.license` takes (nemo_gym/config_types.py): not SPDX's names. */
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

/** What people type, in lower case without blanks and dashes, and what Gym calls it. */
const USUAL = new Map([
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

/** `dataset-license`: one of Gym's own names. */
export function license(name: string): Finding[] {
  if ((LICENSES as readonly string[]).includes(name)) return [];
  const usual = USUAL.get(name.toLowerCase().replace(/[\s_-]+/g, ''));
  const all = LICENSES.map((one) => `"${one}"`).join(', ');
  return [
    {
      code: 'dataset-license',
      where: `license ${quote(name)}`,
      what: "is none of NeMo Gym's names",
      fix: usual === undefined ? `--license with one of ${all}` : `--license "${usual}"`,
    },
  ];
}

/** `dataset-split`: each names a split that is written. */
export function datasetSplits(datasets: Datasets, splits: readonly string[]): Finding[] {
  return (['train', 'validation'] as const).flatMap((type) => {
    const split = datasets[type];
    if (split === undefined || splits.includes(split)) return [];
    return [
      {
        code: 'dataset-split',
        where: `--datasets ${quote(`${type}=${split}`)}`,
        what: 'no such split is written',
        fix: `name one of: ${splits.map(quote).join(' ') || '(none)'}`,
      },
    ];
  });
}

/** `dataset-example`: Gym wants exactly five. */
export function exampleRows(split: string, rows: number): Finding[] {
  if (rows >= EXAMPLE_ROWS) return [];
  return [
    {
      code: 'dataset-example',
      where: `split ${quote(split)}`,
      what: `has ${rows} rows, and data/example.jsonl must have ${EXAMPLE_ROWS}`,
      fix: 'name a larger split in --datasets, raise --limit, or drop --datasets',
    },
  ];
}
