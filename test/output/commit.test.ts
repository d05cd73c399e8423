import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finishCommits } from '../../src/output/index.js';
import { type Files, folderOf, snapshot, tempFolder, write } from './support/gym-root.js';
import { fail, patched, patchedHandle } from './support/patched-fs.js';

const OLD: Files = { 'app.py': 'old\n', 'data/train.jsonl': ['{}\n'] };

describe('a new folder', () => {
  const files: Files = { 'app.py': 'new\n', 'data/train.jsonl': ['{"new":1}\n'] };
  const written = { 'app.py': 'new\n', 'data/train.jsonl': '{"new":1}\n', 'gymgen.lock.json': expect.anything() };

  test('is moved into place in one step', async () => {
    const root = tempFolder();
    const renamed: unknown[] = [];
    patched('rename', (_, to) => void renamed.push(to));
    await write(root, files);
    expect(renamed).toEqual([folderOf(root)]);
    expect(snapshot(folderOf(root))).toMatchObject(written);
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test.each(['EXDEV', 'EPERM'])(
    'is written file by file if the file system does not move folders (%s)',
    async (code) => {
      const root = tempFolder();
      patched('rename', (_, to) => to === folderOf(root) && fail(code));
      await write(root, files);
      expect(snapshot(folderOf(root))).toMatchObject(written);
      expect(readdirSync(root)).toEqual(['resources_servers']);
    },
  );

  test('has the group that resources_servers/ gives to new entries', async (context) => {
    context.skip(process.getuid?.() !== 0, 'only root may give a folder to another group');
    const root = tempFolder();
    const servers = join(root, 'resources_servers');
    mkdirSync(servers);
    chownSync(servers, 0, 100);
    chmodSync(servers, 0o2755);
    await write(root, files);
    for (const folder of [folderOf(root), join(folderOf(root), 'data')]) {
      const { mode, gid } = statSync(folder);
      expect({ gid, setgid: mode & 0o2000 }).toEqual({ gid: 100, setgid: 0o2000 });
    }
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('is written file by file if another program has created it meanwhile', async () => {
    const root = tempFolder();
    const venv = join(folderOf(root), '.venv');
    patched('rename', (_, to) => to === folderOf(root) && mkdirSync(venv, { recursive: true }));
    await write(root, files);
    expect(snapshot(folderOf(root))).toMatchObject({ ...written, '.venv': null });
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('is synced before it is moved into place, each file once', async () => {
    const root = tempFolder();
    const events: string[] = [];
    await patchedHandle('sync', () => void events.push('sync'));
    patched('rename', () => void events.push('rename'));
    await write(root, files);
    const folders = 3; // data/, files/ and the staging folder
    const before = events.slice(0, events.indexOf('rename'));
    expect(before).toHaveLength(Object.keys(written).length + folders);
    events.length = 0;
    expect((await write(root, files)).changed).toBe(false);
    expect(events).toEqual([]);
  });

  test('does not exist if the sync fails, which is reported', async () => {
    const root = join(tempFolder(), 'root');
    await patchedHandle('sync', () => fail('ENOSPC'));
    await expect(write(root, { ...files, 'z.py': 'z\n' })).rejects.toThrow('disk full');
    expect(existsSync(root)).toBe(false);
  });

  test('does not exist if it cannot be moved, which is reported', async () => {
    const root = tempFolder();
    patched('rename', (_, to) => to === folderOf(root) && fail('EACCES'));
    await expect(write(root, files)).rejects.toMatchObject({
      message: 'cannot write: permission denied',
      where: folderOf(root),
    });
    expect(existsSync(folderOf(root))).toBe(false);
    expect(existsSync(join(root, '.gymgen'))).toBe(false);
  });
});

test('a folder on another file system than the Gym root is rejected', async (context) => {
  const root = tempFolder();
  await write(root, OLD);
  const data = join(folderOf(root), 'new');
  mkdirSync(data);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', data]);
  context.skip(mounted.status !== 0, 'no right to mount a small disk');
  onTestFinished(() => void spawnSync('umount', [data]));
  const before = snapshot(root);
  await expect(write(root, { ...OLD, 'new/a.txt': 'a' })).rejects.toMatchObject({
    message: 'folder is on another file system than the Gym root',
    where: data,
  });
  expect(snapshot(root)).toEqual(before);
});

test('a commit that fails midway is completed by the next command, as the error says', async () => {
  const root = tempFolder();
  await write(root, OLD);
  let isFull = true;
  patched('rename', (_, to) => isFull && to === join(folderOf(root), 'data/train.jsonl') && fail('ENOSPC'));
  const files: Files = { 'app.py': 'new\n', 'data/train.jsonl': ['{"new":1}\n'] };
  await expect(write(root, files)).rejects.toMatchObject({
    message: 'cannot write: disk full',
    where: join(folderOf(root), 'data/train.jsonl'),
    details: ['the folder is partly written: the next gymgen command that writes to this Gym root completes it'],
  });
  isFull = false;
  expect(await finishCommits(root)).toEqual(['gridsim_v1']);
  expect(snapshot(folderOf(root))).toMatchObject({ 'app.py': 'new\n', 'data/train.jsonl': '{"new":1}\n' });
  expect(existsSync(join(root, '.gymgen'))).toBe(false);
  expect((await write(root, files)).changed).toBe(false);
});
