import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/errors.js';
import { changesIn, type Files, folderOf, put, snapshot, tempFolder, write } from './support/gym-root.js';

const FILES: Files = { 'app.py': 'run()\n', 'data/train.jsonl': ['{}\n'], 'task_data.py': 'data\n' };

test('edited files stop the run before anything is written; the error names them and the options', async () => {
  const root = tempFolder();
  const folder = folderOf(root);
  await write(root, FILES);
  put(folder, { 'app.py': 'mine\n', 'new.py': 'mine\n', 'task_data.py': 'mine\n' });
  const before = snapshot(root);

  const files: Files = { 'app.py': 'run(1)\n', 'data/train.jsonl': ['{"new":1}\n'], 'new.py': 'ours\n' };
  const refused = await write(root, files).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(refused).toMatchObject({
    message: '3 files were edited by hand; nothing was written',
    exitCode: 2,
    where: folder,
    details: ['app.py', 'new.py (not written by gymgen)', 'task_data.py (no longer generated)'],
    fix: expect.stringContaining('--force'),
  });
  expect(snapshot(root)).toEqual(before);
});

test('a dry run shows edited files in its plan', async () => {
  const root = tempFolder();
  await write(root, FILES);
  put(folderOf(root), { 'app.py': 'mine\n' });
  expect(changesIn(await write(root, FILES, { dryRun: true }))).toEqual({ 'app.py': 'edited' });
});

test('a changed line that is not a setting is an edit', async () => {
  const root = tempFolder();
  const files: Files = { 'a.yaml': { content: 'url: u\nidle_timeout: 5\n', settings: /^idle_timeout:/ } };
  await write(root, files);
  put(folderOf(root), { 'a.yaml': 'url: mine\nidle_timeout: 6\n' });
  await expect(write(root, files)).rejects.toMatchObject({ details: ['a.yaml'] });
});

test('an edit during the run is noticed', async () => {
  const root = tempFolder();
  await write(root, FILES);
  const files = new Proxy(FILES, {
    ownKeys(target) {
      put(folderOf(root), { 'app.py': 'mine\n' });
      return Reflect.ownKeys(target);
    },
  });
  await expect(write(root, files)).rejects.toMatchObject({ details: ['app.py'] });
});

test('a folder that is empty, or has only files that Gym created, is written again', async () => {
  const root = tempFolder();
  await write(root, FILES);
  for (const path of [...Object.keys(FILES), 'gymgen.lock.json', 'data']) {
    rmSync(join(folderOf(root), path), { recursive: true });
  }
  expect((await write(root, FILES)).changed).toBe(true);
  rmSync(folderOf(root), { recursive: true });
  put(folderOf(root), { '.venv/bin/python': 'p', '__pycache__/x.pyc': 'c', 'a.egg-info/PKG-INFO': 'i' });
  await write(root, FILES);
  expect(snapshot(folderOf(root))).toMatchObject({ 'app.py': 'run()\n', '.venv/bin/python': 'p' });
});

describe('an edited file that is no longer generated', () => {
  const LEFT: Files = { 'app.py': 'run()\n' };
  const edited = async () => {
    const root = tempFolder();
    await write(root, FILES);
    put(folderOf(root), { 'data/train.jsonl': '{"mine":1}\n', 'data/train_metrics.json': '{}' });
    return { root, dryRun: () => write(root, LEFT, { dryRun: true, edits: 'keep' }) };
  };

  test('stays with edits: keep, and every later run reports it', async () => {
    const { root, dryRun } = await edited();
    for (let run = 0; run < 2; run += 1) {
      await write(root, LEFT, { edits: 'keep' });
      expect(snapshot(folderOf(root))).toMatchObject({ 'data/train.jsonl': '{"mine":1}\n' });
      expect(changesIn(await dryRun())).toEqual({ 'data/train.jsonl': 'edited: no longer generated' });
    }
    await expect(write(root, LEFT)).rejects.toMatchObject({ details: ['data/train.jsonl (no longer generated)'] });
  });

  test('is removed with edits: ours, and forgotten', async () => {
    const { root, dryRun } = await edited();
    await write(root, LEFT, { edits: 'keep' });
    await write(root, LEFT, { edits: 'ours' });
    expect(Object.keys(snapshot(folderOf(root)))).toEqual(['app.py', 'gymgen.lock.json']);
    expect(changesIn(await dryRun())).toEqual({});
  });

  test('is accepted with edits: theirs, until it changes again', async () => {
    const { root, dryRun } = await edited();
    await write(root, LEFT, { edits: 'theirs' });
    expect(changesIn(await dryRun())).toEqual({});
    await write(root, LEFT, { edits: 'keep' });
    expect(changesIn(await dryRun())).toEqual({});
    put(folderOf(root), { 'data/train.jsonl': '{"mine":2}\n' });
    expect(changesIn(await dryRun())).toMatchObject({ 'data/train.jsonl': 'edited: no longer generated' });
  });

  test('is forgotten once it is deleted by hand', async () => {
    const { root, dryRun } = await edited();
    await write(root, LEFT, { edits: 'keep' });
    rmSync(join(folderOf(root), 'data/train.jsonl'));
    await write(root, LEFT, { edits: 'keep' });
    expect(changesIn(await dryRun())).toEqual({});
  });
});
