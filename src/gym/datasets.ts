import type { GymOptions } from '../model.js';
import { namesOf } from './names.js';

export interface DatasetEntry {
  type: 'train' | 'validation' | 'example';
  path: string;
  license: string | null;
}

/** The entries of the config's `datasets` block; none without `--datasets`. */
export function datasetEntries({ name, datasets }: GymOptions): DatasetEntry[] {
  if (datasets === undefined) return [];
  const names = namesOf(name);
  // Gym looks up relative paths in NEMO_GYM_EXTRA_ROOTS, the current folder and its own installation, in this order.
  const path = (split: string): string => `${names.folder}/${names.rows(split)}`;
  const declared = (['train', 'validation'] as const).flatMap((type): DatasetEntry[] => {
    const split = datasets[type];
    return split === undefined ? [] : [{ type, path: path(split), license: datasets.license }];
  });
  return [...declared, { type: 'example', path: path('example'), license: null }];
}

/** The split whose first rows become `data/example.jsonl`, if there is a `datasets` block. */
export function exampleSplit({ datasets }: GymOptions): string | undefined {
  return datasets?.train ?? datasets?.validation;
}
