import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readNoFollow } from '../files.js';
import { exceededLimit } from '../json/bounds.js';
import { LineTooLong } from '../json/lines.js';
import { LIMITS, limitMessage, overLimit } from '../limits.js';
import { LinkGuard, readLock } from '../output/index.js';
import { gymgenCommand } from '../printed-command.js';
import { FileLines } from './file-lines.js';

const Toolsets = z.looseObject({
  toolsets: z.array(
    z.looseObject({
      key: z.string(),
      turns: z.array(z.array(z.string())),
      tools: z.array(z.looseObject({ name: z.string(), description: z.string().optional() })),
    }),
  ),
});

export type WrittenToolset = z.infer<typeof Toolsets>['toolsets'][number];

/** One folder of `resources_servers/`, as it is now. */
export interface ServerFolder {
  name: string;
  /** Files of rows that gymgen wrote. */
  rowFiles: { split: string; path: string }[];
  toolsets: WrittenToolset[];
}

/** @throws UserError if gymgen did not write the folder, or a file in it cannot be read */
export async function readServerFolder(folder: string): Promise<ServerFolder> {
  const lock = await readLock(folder);
  if (!lock) {
    throw new UserError('folder was not written by gymgen', {
      where: folder,
      fix: `name a folder in resources_servers/ that has a gymgen.lock.json, or write one: ${gymgenCommand`<source> <gym-root>`}`,
    });
  }
  const links = new LinkGuard(folder);
  const rowFiles: ServerFolder['rowFiles'] = [];
  for (const file of Object.keys(lock.files)) {
    const split = /^data\/([^/]+)\.jsonl$/.exec(file)?.[1];
    // The example rows are copies of rows of a split.
    if (split === undefined || split === 'example') continue;
    const at = path.join(folder, file);
    await links.assert(at);
    rowFiles.push({ split, path: at });
  }
  return { name: path.basename(path.resolve(folder)), rowFiles, toolsets: await readToolsets(folder) };
}

async function readToolsets(folder: string): Promise<WrittenToolset[]> {
  const where = path.join(folder, 'toolsets.json');
  const bytes = await readNoFollow(where, LIMITS.responseBytes);
  if (bytes === 'too-large') throw overLimit('responseBytes', { where });
  if (bytes === 'not-a-file') throw new UserError('not a regular file', { where, fix: 'write the folder again' });
  const exceeded = exceededLimit(bytes);
  if (exceeded) throw overLimit(exceeded, { where });
  try {
    return Toolsets.parse(JSON.parse(bytes.toString())).toolsets;
  } catch (cause) {
    throw new UserError('toolsets.json is damaged', { where, fix: 'write the folder again', cause });
  }
}

/** A row with its text, which JSON.parse may change; or why a line is not one. */
export type WrittenRow =
  | { line: number; row: Record<string, unknown>; text: string }
  | { line: number; problem: string };

/**
 * The rows of a file, one by one.
 * @param blankLines whether blank lines are problems; by default they are skipped
 * @throws UserError if a line is too long
 */
export async function* readRows(file: string, { blankLines = false } = {}): AsyncGenerator<WrittenRow> {
  const lines = await FileLines.open(file);
  let line = 0;
  try {
    for (let text = await lines.take(); text !== undefined; text = await lines.take()) {
      line += 1;
      if (text.trim() !== '') yield rowIn(text, line);
      else if (blankLines) yield { line, problem: 'blank line' };
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw new UserError(error.message, { where: `${file}:${line + 1}`, fix: 'remove the line', cause: error });
  } finally {
    await lines.close();
  }
}

function rowIn(text: string, line: number): WrittenRow {
  const exceeded = exceededLimit(Buffer.from(text));
  if (exceeded) return { line, problem: limitMessage(exceeded) };
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row === 'object' && row !== null && 'responses_create_params' in row)
      return { line, row: { ...row }, text };
  } catch {
    return { line, problem: 'not valid JSON' };
  }
  return { line, problem: 'not a row' };
}
