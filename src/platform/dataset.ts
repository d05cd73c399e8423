import { UserError } from '../errors.js';
import { TRAINING, VALIDATION } from '../rules/index.js';
import { readServerFolder, type WrittenFolder } from '../written/index.js';
import { DatasetRows, type RowChange, type RowSelection, type RowSource } from './rows.js';

export interface DatasetOptions {
  /** Split of the training rows. Default: `train`, or the only split. */
  train?: string;
  validation?: string;
  /** Share of the tasks that become validation rows, instead of a split. */
  validationFraction?: number;
  limit?: number;
}

/** The files of a dataset's file set, by path. */
export interface Dataset {
  files: { path: string; rows: DatasetRows }[];
  /** The splits of the folders that are not used, as `name/split`. */
  unused: string[];
}

/** @throws UserError if a folder has no such split */
export async function datasetOf(
  folders: readonly WrittenFolder[],
  { train, validation, validationFraction: fraction, limit = Number.POSITIVE_INFINITY }: DatasetOptions,
  change?: RowChange,
): Promise<Dataset> {
  const all: RowSource[] = [];
  for (const { name, folder } of folders) {
    for (const { split, path } of (await readServerFolder(folder)).rowFiles) all.push({ server: name, split, path });
  }
  const pick = (split: string | undefined, option: string) =>
    folders.map(({ name, folder }) =>
      rowsOf(
        all.filter(({ server }) => server === name),
        split,
        option,
        folder,
      ),
    );
  const training = pick(train, '--train');
  const chosen: [path: string, sources: RowSource[], selection: RowSelection][] =
    fraction === undefined
      ? [
          [TRAINING, training, { limit }],
          ...(validation === undefined ? [] : [[VALIDATION, pick(validation, '--validation'), { limit }] as const]),
        ].map(([path, sources, selection]) => [path, sources, selection] as [string, RowSource[], RowSelection])
      : [
          [TRAINING, training, { limit, side: { fraction, isValidation: false } }],
          [VALIDATION, training, { limit, side: { fraction, isValidation: true } }],
        ];
  const used = new Set(chosen.flatMap(([, sources]) => sources));
  return {
    files: chosen.map(([path, sources, selection]) => ({ path, rows: new DatasetRows(sources, selection, change) })),
    unused: all.filter((source) => !used.has(source)).map(({ server, split }) => `${server}/${split}`),
  };
}

function rowsOf(sources: RowSource[], split: string | undefined, option: string, where: string): RowSource {
  const only = sources.length === 1 ? sources[0] : undefined;
  const found =
    sources.find((source) => source.split === (split ?? 'train')) ?? (split === undefined ? only : undefined);
  if (found) return found;
  const known = sources.map((source) => source.split).join(', ');
  throw new UserError(split === undefined ? 'no split is named train' : `no split ${JSON.stringify(split)}`, {
    where,
    fix: `choose one of ${known || 'none'}: ${option} SPLIT`,
  });
}
