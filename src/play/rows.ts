import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { UserError } from '../errors.js';
import { VALIDATION_SPLITS } from '../gym/index.js';
import { readRows, readServerFolder } from '../written/index.js';

export interface RowChoice {
  /** Written servers. */
  folders: readonly { folder: string }[];
  /** By default the one for validation, or else the first one. */
  split?: string | undefined;
  /** Maximum number of rows of each server. */
  limit?: number | undefined;
}

/** Rows of one server that are played. */
export interface PlayedRows {
  name: string;
  split: string;
  rows: number;
}

/**
 * Copies the rows to play into one file.
 * @param target a new file
 * @throws UserError if a split is missing or has no rows, or if a line is not a row
 */
export async function writeRows(
  { folders, split: wanted, limit = Number.POSITIVE_INFINITY }: RowChoice,
  target: string,
): Promise<PlayedRows[]> {
  const stream = createWriteStream(target, { flags: 'wx' });
  const played: PlayedRows[] = [];
  try {
    for (const { folder } of folders) {
      const { name, rowFiles } = await readServerFolder(folder);
      const { split, path } = chosenSplit(wanted, rowFiles, folder);
      let rows = 0;
      for await (const read of readRows(path)) {
        if (rows === limit) break;
        if ('problem' in read) {
          throw new UserError(read.problem, { where: `${path}:${read.line}`, fix: 'write the folder again' });
        }
        rows += 1;
        if (!stream.write(`${read.text}\n`)) await once(stream, 'drain');
      }
      if (rows === 0)
        throw new UserError('the split has no rows', { where: path, fix: 'choose another: --split NAME' });
      played.push({ name, split, rows });
    }
  } finally {
    stream.end();
    await finished(stream);
  }
  return played;
}

type RowFile = Awaited<ReturnType<typeof readServerFolder>>['rowFiles'][number];

function chosenSplit(wanted: string | undefined, files: readonly RowFile[], folder: string): RowFile {
  const names: readonly string[] = wanted === undefined ? VALIDATION_SPLITS : [wanted];
  const found = names.flatMap((name) => files.find(({ split }) => split === name) ?? [])[0];
  const chosen = found ?? (wanted === undefined ? files[0] : undefined);
  if (chosen) return chosen;
  throw new UserError(wanted === undefined ? 'the server has no rows' : `no split is named ${JSON.stringify(wanted)}`, {
    where: folder,
    fix: files.length === 0 ? 'write the folder again' : `choose one of ${files.map(({ split }) => split).join(', ')}`,
  });
}
