import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MergedRows } from '../../src/written/merged-rows.js';
import { tempFolder } from '../output/support/gym-root.js';
import { row, rows } from './support.js';

test('keeps an edited prompt of many megabytes', async () => {
  const path = join(tempFolder(), 'train.jsonl');
  const edited = row(`"${'x'.repeat(20_000_000)}`);
  writeFileSync(path, `${edited}\n`);
  const merged = new MergedRows({ path, fingerprint: () => undefined, tools: new Set() });
  const chunks: Buffer[] = [];
  for await (const chunk of merged.merge(rows(row('short')))) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(Buffer.from(`${edited}\n`))).toBe(true);
  expect(merged.count).toBe(1);
});

test('refuses an edited input that is not a list of messages', async () => {
  const path = join(tempFolder(), 'train.jsonl');
  writeFileSync(path, `${row('edited').replace('"role":"user"', '"role":"tool"')}\n`);
  const merged = new MergedRows({ path, fingerprint: () => undefined, tools: new Set() });
  await expect(merged.merge(rows(row('short'))).next()).rejects.toMatchObject({
    message: 'edited input is not a list of messages',
    where: `${path}:1`,
  });
});
