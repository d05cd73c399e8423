import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

export type Row = Record<string, unknown>;

/** A folder that is removed after the test file. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-axolotl-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const user = (content: unknown) => [{ role: 'user', content }];

export function row(input: unknown, more: Row = {}, tools: unknown[] = []): Row {
  return {
    responses_create_params: { input, tools },
    agent_ref: { type: 'responses_api_agents', name: 'shop_simple_agent' },
    ...more,
  };
}

export const tool = (name: string, properties: object): object => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties },
  strict: false,
});

export function linesOf(rows: readonly (Row | string)[]): string {
  return rows.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('');
}

/** A Gym root with the server `shop`, as far as the trainers read it. @param splits rows by split */
export function writeRoot(gymRoot: string, splits: Record<string, (Row | string)[]>, config = 'shop: {}\n'): void {
  const put = (file: string, text: string) => {
    const path = join(gymRoot, 'resources_servers/shop', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const hash = `sha256:${'0'.repeat(64)}`;
  const files = Object.keys(splits).map((split) => `data/${split}.jsonl`);
  const lock = { format: 1, files: Object.fromEntries(files.map((file) => [file, hash])) };
  put('gymgen.lock.json', JSON.stringify(lock));
  put('toolsets.json', '{"toolsets":[]}');
  put('configs/shop.yaml', config);
  for (const [split, rows] of Object.entries(splits)) put(`data/${split}.jsonl`, linesOf(rows));
}
