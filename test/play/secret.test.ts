import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { maskSecret, withoutSecret } from '../../src/play/secret.js';

const KEY = 'sk-12"34\\5678';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gymgen-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('a key is masked in text, also as JSON has it', () => {
  expect(withoutSecret(`a ${KEY} b ${JSON.stringify({ KEY })}`, KEY)).toBe('a … b {"KEY":"…"}');
});

test('a placeholder is kept', () => {
  expect(withoutSecret('none of them is EMPTY', 'none')).toBe('none of them is EMPTY');
});

test('a key is masked in files, also between two chunks, and other files stay', async () => {
  const long = 'x'.repeat(64 * 1024 - 5); // a chunk has 64 KiB
  const folder = folderWith({
    'a.jsonl': `${long}${KEY}${long}${KEY}\n`,
    'b.json': JSON.stringify(KEY),
    'c.txt': 'sk-12',
  });
  await maskSecret(folder, KEY);
  expect(readFileSync(join(folder, 'a.jsonl'), 'utf8')).toBe(`${long}…${long}…\n`);
  expect(readFileSync(join(folder, 'b.json'), 'utf8')).toBe('"…"');
  expect(readFileSync(join(folder, 'c.txt'), 'utf8')).toBe('sk-12');
  expect(readdirSync(folder)).toEqual(['a.jsonl', 'b.json', 'c.txt']);
});
