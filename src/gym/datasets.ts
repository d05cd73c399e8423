import type { DatasetChoice, Datasets, GymOptions, GymRequest, Split } from '../model.js';
import { namesOf } from './names.js';

/** Names of splits that are for validation and evaluation, in the order of preference. */
export const VALIDATION_SPLITS = ['validation', 'val', 'dev', 'eval', 'test'] as const;

export interface DatasetEntry {
  type: 'train' | 'validation' | 'example';
  path: string;
  license: string | null;
}

/**
 * The datasets of a folder; undefined if there are none. `usual` is the split `train`, and the first split of
 * VALIDATION_SPLITS.
 * @param written names of the splits that are written
 */
export function datasetsOf({ splits, license }: DatasetChoice, written: readonly string[]): Datasets | undefined {
  if (splits === 'none') return undefined;
  if (splits !== 'usual') return { ...splits, license, examples: true };
  const hasTrain = written.includes('train');
  const validation = VALIDATION_SPLITS.find((split) => written.includes(split));
  if (!hasTrain && validation === undefined) return undefined;
  return {
    ...(hasTrain ? { train: 'train' } : {}),
    ...(validation === undefined ? {} : { validation }),
    license,
    examples: false,
  };
}

/** The options for a server with these splits. */
export function withDatasets(
  { datasets: choice, ...options }: GymRequest,
  splits: readonly Split[],
): Omit<GymOptions, 'name' | 'server'> {
  const written = splits.map(({ name }) => name);
  const datasets = datasetsOf(choice, written);
  return datasets ? { ...options, datasets } : options;
}

/** The entries of the config's `datasets` block. */
export function datasetEntries({ name, datasets }: GymOptions): DatasetEntry[] {
  if (datasets === undefined) return [];
  const names = namesOf(name);
  // Gym looks up relative paths in NEMO_GYM_EXTRA_ROOTS, the current folder and its own installation, in this order.
  const path = (split: string): string => `${names.folder}/${names.rows(split)}`;
  const declared = (['train', 'validation'] as const).flatMap((type): DatasetEntry[] => {
    const split = datasets[type];
    return split === undefined ? [] : [{ type, path: path(split), license: datasets.license }];
  });
  return datasets.examples ? [...declared, { type: 'example', path: path('example'), license: null }] : declared;
}

/** The split whose first rows become `data/example.jsonl`, if that file is written. */
export function exampleSplit({ datasets }: GymOptions): string | undefined {
  return datasets?.examples ? (datasets.train ?? datasets.validation) : undefined;
}
