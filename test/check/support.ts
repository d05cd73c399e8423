import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CheckReport, check } from '../../src/operations/check.js';
import { requestOf } from '../../src/operations/request.js';
import { type UpdateReport, update } from '../../src/operations/update.js';
import { type WriteReport, type WriteRequest, write } from '../../src/operations/write.js';
import type { Flags } from '../../src/options/index.js';
import { Said } from '../support/discovered.js';

export const signal = new AbortController().signal;

/** A temporary folder that is deleted after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A Gym root that is written from one source. */
export class Root {
  readonly gymRoot = join(tempFolder(), 'root');

  constructor(
    public source: string,
    private readonly flags: Flags = {},
  ) {}

  get folder(): string {
    return join(this.gymRoot, 'resources_servers', 'grid_v1');
  }

  request(changes: Partial<WriteRequest> = {}): WriteRequest {
    return { ...requestOf(this.source, this.gymRoot, this.flags), ...changes };
  }

  write(changes: Partial<WriteRequest> = {}): Promise<WriteReport> {
    return write(this.request(changes), new Said(), signal);
  }

  check(): Promise<CheckReport> {
    return check(this.request(), new Said(), signal);
  }

  update(changes: Partial<WriteRequest> = {}): Promise<UpdateReport> {
    return update(this.request({ edits: 'keep', ...changes }), new Said(), signal);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  put(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  edit(file: string, change: (text: string) => string): void {
    this.put(file, change(this.read(file)));
  }

  /** Edits one row, with the JSON formatting of another tool. */
  editRow(file: string, at: number, change: (row: Row) => void, indent = 0): void {
    this.edit(file, (text) => {
      const lines = text.split('\n');
      const row = JSON.parse(lines[at] as string) as Row;
      change(row);
      const json = JSON.stringify(row);
      lines[at] = indent ? json.replaceAll('","', '", "') : json;
      return lines.join('\n');
    });
  }
}

export interface Row {
  responses_create_params: { input: { role: string; content: unknown }[]; tools: { description: string }[] };
  split: string;
  index: number;
  task_id: string;
}

/** `state path` and the note of each difference, without the lock file. */
export function statesIn({ differences }: Pick<CheckReport, 'differences'>): string[] {
  return differences
    .filter(({ path }) => path !== 'gymgen.lock.json')
    .map(({ path, state, note }) => `${state} ${path}${note ? ` (${note})` : ''}`);
}
