import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/limits.js';
import { hashFile } from '../../src/output/index.js';
import { PromptKeeper } from '../../src/written/index.js';
import { MergedRows } from '../../src/written/merged-rows.js';
import { tempFolder } from '../output/support/gym-root.js';

const row = (prompt: string) =>
  `{"responses_create_params":{"input":[{"role":"user","content":${JSON.stringify(prompt)}}],"tools":[]},"index":0,"split":"train","task_id":"a"}`;

test('an edited prompt of many megabytes is kept', async () => {
  const path = join(tempFolder(), 'train.jsonl');
  const edited = row(`"${'x'.repeat(20_000_000)}`);
  writeFileSync(path, `${edited}\n`);
  const merged = new MergedRows({ path, print: () => undefined, tools: new Set() });
  const lines: Buffer[] = [];
  for await (const chunk of merged.rows(generated())) lines.push(chunk);
  expect(Buffer.concat(lines).equals(Buffer.from(`${edited}\n`))).toBe(true);
  expect(merged.count).toBe(1);
});

async function* generated() {
  yield Buffer.from(`${row('short')}\n`);
}

test('a toolsets.json of more values than an answer can have is not parsed', async () => {
  const folder = tempFolder();
  const file = join(folder, 'toolsets.json');
  writeFileSync(file, `{"toolsets":[${'[],'.repeat(LIMITS.jsonValues)}{"tools":[]}]}`);
  const rows = join(folder, 'train.jsonl');
  writeFileSync(rows, `${row('edited')}\n`);
  const lock = {
    format: 1 as const,
    files: { 'toolsets.json': String(await hashFile(file)), 'train.jsonl': `sha256:${'0'.repeat(64)}` },
    prompts: { 'train.jsonl': 'AAAA' },
    keptPrompts: ['train.jsonl'],
  };
  const keeper = new PromptKeeper(folder, lock, false);
  const began = process.memoryUsage().heapUsed;
  for await (const file of keeper.of(oneFile())) expect(file.path).toBe('train.jsonl');
  expect(process.memoryUsage().heapUsed - began).toBeLessThan(30 * 2 ** 20);
});

async function* oneFile() {
  yield { path: 'train.jsonl', rows: generated() };
}
