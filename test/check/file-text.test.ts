import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileText } from '../../src/check/file-text.js';
import { tempFolder } from './support.js';

async function opened(text: string): Promise<FileText> {
  const path = join(tempFolder(), 'rows.jsonl');
  writeFileSync(path, text);
  const file = (await FileText.open(path)) as FileText;
  onTestFinished(() => file.close());
  return file;
}

const bytes = (text: string) => Buffer.from(text);

test('goes past what comes next, byte by byte, and stays where something else does', async () => {
  const file = await opened('one\ntwo\nthree\n');
  expect(await file.pass(bytes('one\ntwo\n'))).toBe(2);
  expect(await file.pass(bytes('thr\n'))).toBe(0);
  expect(await file.pass(bytes('three\nfour\n'))).toBe(0);
  expect(await file.isAtEnd()).toBe(false);
  expect(await file.pass(bytes('three\n'))).toBe(1);
  expect(await file.isAtEnd()).toBe(true);
  expect(await file.pass(bytes('four\n'))).toBe(0);
});

test('gives lines without their ends, whatever they are, and goes on behind them', async () => {
  const file = await opened('one\r\n\ntwo →\r\nthree\nlast');
  expect(await file.take(2)).toEqual(['one', '']);
  expect(await file.take(1)).toEqual(['two →']);
  expect(await file.pass(bytes('three\n'))).toBe(1);
  expect(await file.take(9)).toEqual(['last']);
  expect(await file.take(9)).toEqual([]);
  expect(await file.isAtEnd()).toBe(true);
});

test('lines and texts that are longer than what is read at once', async () => {
  const long = Array.from({ length: 7 }, (_, at) => `${at}`.repeat(100_000));
  const file = await opened(long.map((line) => `${line}\n`).join(''));
  expect(await file.pass(bytes(`${long[0]}\n${long[1]}\n${long[2]}\n`))).toBe(3);
  const taken: string[] = [];
  for (let some = await file.take(3); some.length > 0; some = await file.take(3)) taken.push(...some);
  expect(taken).toEqual(long.slice(3));
});

test('is nothing where there is no file, or something else', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'rows.jsonl'));
  expect(await FileText.open(join(folder, 'rows.jsonl'))).toBeUndefined();
  expect(await FileText.open(join(folder, 'none.jsonl'))).toBeUndefined();
});
