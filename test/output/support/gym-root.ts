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
import { expect, onTestFinished } from 'vitest';
import { UserError } from '../../../src/errors.js';
import type { UserSettings } from '../../../src/model.js';
import { type OutputFile, type WriteOptions, type Written, writeFolder } from '../../../src/output/index.js';

export const NAME = 'gridsim_v1';

/** A folder that is removed after the test. */
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
    else yield { path, content: file.content, settings: userSettings(file.content, file.settings) };
  }
}

/** Lines that match are settings. */
export function userSettings(content: string, setting: RegExp): UserSettings {
  const restOf = (text: string) =>
    text
      .split(/\r?\n/)
      .filter((line) => !setting.test(line))
      .join('\n');
  return {
    rest: restOf(content),
    restOf: async (existing) => restOf(existing),
    isSame: async (existing) => existing === content,
  };
}

async function* chunks(rows: string[]): AsyncGenerator<Buffer> {
  for (const chunk of rows) yield Buffer.from(chunk);
}

export function write(gymRoot: string, files: Files, options: Partial<WriteOptions> = {}): Promise<Written> {
  const record = () => ({ source: 'http://127.0.0.1:8000' });
  const signal = new AbortController().signal;
  return writeFolder({ gymRoot, name: NAME }, outputs(files), record, { signal, ...options });
}

/** The error of a write whose target is rejected before any file is requested. */
export async function rejection(gymRoot: string, dryRun = false): Promise<UserError> {
  let isRequested = false;
  async function* watched() {
    isRequested = true;
    yield* outputs({ 'app.py': 'run()\n' });
  }
  const options = { signal: new AbortController().signal, dryRun };
  const error = await writeFolder({ gymRoot, name: NAME }, watched(), () => ({}), options).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).fix).toBeTruthy();
  expect(isRequested).toBe(false);
  return error as UserError;
}

export function folderOf(gymRoot: string): string {
  return join(gymRoot, 'resources_servers', NAME);
}

/** Writes files as a user would. */
export function put(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Everything below a folder: the text of files, `null` for folders, the target of symlinks, and the mode of anything else. */
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
