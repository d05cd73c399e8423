import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeWhole } from '../../src/output/index.js';
import { failureOf } from '../support/failure-of.js';
import { snapshot, tempFolder } from './support/gym-root.js';
import { fail, patched } from './support/patched-fs.js';

type Files = Record<string, string>;

const OLD: Files = { 'a.txt': 'old\n', 'b/c.txt': 'c\n' };
const NEW: Files = { 'a.txt': 'new\n', 'd.txt': 'd\n' };

function write(folder: string, files: Files, more: { isDryRun?: boolean; check?: () => Promise<void> } = {}) {
  async function* all() {
    for (const [path, content] of Object.entries(files)) yield { path, content };
  }
  const content = { files: all(), last: () => [], record: () => ({ x: 1 }), check: more.check ?? (async () => {}) };
  return writeWhole(folder, content, {
    isDryRun: more.isDryRun ?? false,
    force: false,
    signal: new AbortController().signal,
  });
}

const stagingOf = (folder: string) => join(dirname(folder), '.out.gymgen');
const filesOf = (folder: string) => ({
  'a.txt': readFileSync(join(folder, 'a.txt'), 'utf8'),
  names: readdirSync(folder).sort(),
});
const isNew = { 'a.txt': 'new\n', names: ['a.txt', 'd.txt', 'gymgen.package.json'] };
const isOld = { 'a.txt': 'old\n', names: ['a.txt', 'b', 'gymgen.package.json'] };

test('a new folder replaces the old one as a whole', async () => {
  const folder = join(tempFolder(), 'deep/out');
  expect(await write(folder, OLD)).toMatchObject({ changed: true });
  const { entries, files } = await write(folder, NEW);
  expect(filesOf(folder)).toEqual(isNew);
  expect(entries).toEqual([
    { path: 'a.txt', state: 'update' },
    { path: 'b/c.txt', state: 'stale' },
    { path: 'd.txt', state: 'create' },
  ]);
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['a.txt', 4],
    ['d.txt', 2],
  ]);
  expect(existsSync(stagingOf(folder))).toBe(false);
});

test('a dry run, or the same files, change nothing', async () => {
  const folder = join(tempFolder(), 'out');
  expect((await write(folder, OLD, { isDryRun: true })).changed).toBe(true);
  expect(existsSync(folder)).toBe(false);
  await write(folder, OLD);
  const before = snapshot(folder);
  expect((await write(folder, OLD)).changed).toBe(false);
  expect((await write(folder, NEW, { isDryRun: true })).changed).toBe(true);
  expect(snapshot(folder)).toEqual(before);
});

describe('the old folder stays', () => {
  test('if the new one is refused', async () => {
    const folder = join(tempFolder(), 'out');
    await write(folder, OLD);
    const refuse = () => Promise.reject(new Error('refused'));
    await expect(write(folder, NEW, { check: refuse })).rejects.toThrow('refused');
    expect(filesOf(folder)).toEqual(isOld);
    expect(existsSync(stagingOf(folder))).toBe(false);
  });

  test('if the disk is full', async () => {
    const folder = join(tempFolder(), 'out');
    await write(folder, OLD);
    patched('open', (path, flags) => flags === 'wx' && String(path).endsWith('d.txt') && fail('ENOSPC'));
    expect(await failureOf(write(folder, NEW))).toMatch(/disk full/);
    expect(filesOf(folder)).toEqual(isOld);
  });

  test('if a run was killed between the two renames', async () => {
    const folder = join(tempFolder(), 'out');
    await write(folder, OLD);
    const staging = join(stagingOf(folder), 'whole');
    mkdirSync(join(staging, 'files'), { recursive: true });
    writeFileSync(join(staging, 'files/a.txt'), 'half');
    writeFileSync(join(staging, 'owner.json'), JSON.stringify({ pid: 2 ** 22 + 1 }));
    renameSync(folder, join(staging, 'previous'));
    await expect(write(folder, NEW, { check: () => Promise.reject(new Error('refused')) })).rejects.toThrow('refused');
    expect(filesOf(folder)).toEqual(isOld);
    await write(folder, NEW);
    expect(filesOf(folder)).toEqual(isNew);
    expect(existsSync(stagingOf(folder))).toBe(false);
  });
});

test('only one run writes a folder', async () => {
  const folder = join(tempFolder(), 'out');
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = write(folder, OLD, { check: () => waiting });
  let told = '';
  while (told === '') {
    if (existsSync(join(stagingOf(folder), 'whole/owner.json'))) told = await failureOf(write(folder, NEW));
    else await new Promise((resolve) => setImmediate(resolve));
  }
  expect(told).toMatch(/another run is writing this folder: process \d+/);
  release();
  await first;
  expect(filesOf(folder)).toEqual(isOld);
});
