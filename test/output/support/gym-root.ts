import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type OutputFile, type WriteOptions, type Written, writeFolder } from '../../../src/output/index.js';

export const NAME = 'gridsim_v1';

/** A folder that goes away with the test; the Gym root in it is not there yet. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Files by path: a string is a text file, a list is the chunks of a rows file. */
export type Files = Record<string, string | string[] | { content: string; settings: RegExp }>;

export async function* outputs(files: Files): AsyncGenerator<OutputFile> {
  for (const [path, file] of Object.entries(files)) {
    if (typeof file === 'string') yield { path, content: file };
    else if (Array.isArray(file)) yield { path, rows: chunks(file) };
    else yield { path, ...file };
  }
}

async function* chunks(rows: string[]): AsyncGenerator<Buffer> {
  for (const chunk of rows) yield Buffer.from(chunk);
}

export function write(gymRoot: string, files: Files, options: Partial<WriteOptions> = {}): Promise<Written> {
  const record = () => ({ source: 'http://127.0.0.1:8000' });
  const signal = new AbortController().signal;
  return writeFolder({ gymRoot, name: NAME }, outputs(files), record, { signal, ...options });
}

export function folderOf(gymRoot: string): string {
  return join(gymRoot, 'resources_servers', NAME);
}

/** Writes by hand, as a user would. */
export function put(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** All that is below a folder: text of files, folders as `null`, links as where they lead; of another kind, only that. */
export function snapshot(folder: string, prefix = ''): Record<string, string | null> {
  const found: Record<string, string | null> = {};
  for (const entry of readdirSync(join(folder, prefix)).sort()) {
    const path = prefix === '' ? entry : `${prefix}/${entry}`;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) Object.assign(found, { [path]: null }, snapshot(folder, path));
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else found[path] = stat.isFile() && stat.size < 2 ** 24 ? readFileSync(join(folder, path), 'utf8') : `${stat.mode}`;
  }
  return found;
}

/** `path: state` of each entry that is not the same, with its note. */
export function changesIn({ plan }: Written): Record<string, string> {
  const changed = plan.entries.filter((entry) => entry.state !== 'same');
  return Object.fromEntries(changed.map(({ path, state, note }) => [path, note ? `${state}: ${note}` : state]));
}
