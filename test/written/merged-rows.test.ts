import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MergedRows } from '../../src/written/merged-rows.js';
import { tempFolder } from '../output/support/gym-root.js';
import { row, rows } from './support.js';

test('keeps an edited prompt of many megabytes', async () => {
  const path = join(tempFolder(), 'train.jsonl');
  const edited = row(`"${'x'.repeat(15_000_000)}`);
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

test.each([
  [
    'has no content',
    'null',
    "input[0]: has content 'null' [row-input-null]; write a string; leave out a message without text",
  ],
  [
    'has a part of the Chat API',
    '[{"type":"text","text":"a"}]',
    "input[0]: has a part of type 'text' [row-input-chat]; use input_text, input_image (with detail) or input_file",
  ],
])('refuses an edited message that %s', async (_, content, found) => {
  const path = join(tempFolder(), 'train.jsonl');
  writeFileSync(
    path,
    `${row('same')}\n${row('edited').replace('"edited"', content).replace('"index":0', '"index":1')}\n`,
  );
  const merged = new MergedRows({ path, fingerprint: () => undefined, tools: new Set() });
  const second = row('short').replace('"index":0', '"index":1');
  await expect(merged.merge(rows(row('same'), second)).next()).rejects.toMatchObject({
    message: 'NeMo Gym would reject an edited prompt',
    where: `${path}:2`,
    details: [found],
  });
});
