import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finishCommits, type OutputFile, writeFolder } from '../../src/output/index.js';
import { type Files, folderOf, NAME, snapshot, tempFolder, write } from './support/gym-root.js';
import { fail, patched, patchedHandle } from './support/patched-fs.js';

const OLD: Files = { 'app.py': 'old\n', 'data/train.jsonl': ['{}\n'] };
const BIG: Files = { ...OLD, 'data/train.jsonl': Array.from({ length: 64 }, () => `"${'x'.repeat(65_533)}"\n`) };

const codes: [string, string][] = [
  ['ENOSPC', 'disk full'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'file system is read-only'],
  ['ENOTDIR', 'a file exists at the path of a folder'],
  ['EISDIR', 'a folder exists at the path of a file'],
  ['ENAMETOOLONG', 'path too long'],
];

describe('what the file system refuses while files are staged is told in words, with no leavings', () => {
  test.each(codes)('%s', async (code, words) => {
    const root = tempFolder();
    await write(root, OLD);
    const before = snapshot(root);
    patched('open', (path) => String(path).endsWith('train.jsonl') && fail(code));
    await expect(write(root, { ...OLD, 'app.py': 'new\n' })).rejects.toMatchObject({
      name: 'UserError',
      exitCode: 2,
      message: `cannot write: ${words}`,
      where: join(root, '.gymgen/gridsim_v1/files/data/train.jsonl'),
      fix: expect.stringMatching(/./),
    });
    expect(snapshot(root)).toEqual(before);
  });

  test('a name that really is too long', async () => {
    const temp = tempFolder();
    const written = write(join(temp, 'root'), { [`data/${'x'.repeat(250)}.jsonl`]: ['{}\n'] });
    await expect(written).rejects.toMatchObject({ message: 'cannot write: path too long' });
    expect(readdirSync(temp)).toEqual([]);
  });

  test('a disk that fills in the middle of the rows', async () => {
    const root = tempFolder();
    await write(root, OLD);
    const before = snapshot(root);
    await fullDisk();
    await expect(write(root, BIG)).rejects.toMatchObject({
      name: 'UserError',
      message: 'cannot write: disk full',
    });
    expect(snapshot(root)).toEqual(before);
  });

  test('a text, which is staged while what follows is generated', async () => {
    const root = tempFolder();
    await write(root, OLD);
    const before = snapshot(root);
    patched('open', (path) => String(path).endsWith('files/app.py') && fail('EACCES'));
    await expect(write(root, { ...BIG, 'app.py': 'new\n', 'z.py': 'z\n' })).rejects.toMatchObject({
      name: 'UserError',
      message: 'cannot write: permission denied',
      where: join(root, '.gymgen/gridsim_v1/files/app.py'),
    });
    expect(snapshot(root)).toEqual(before);
  });

  test('a text, before rows that follow it are read', async () => {
    const root = tempFolder();
    let isRead = false;
    async function* rows(): AsyncGenerator<Buffer> {
      isRead = true;
      yield Buffer.from('{}\n');
    }
    async function* files(): AsyncGenerator<OutputFile> {
      yield { path: 'app.py', content: 'new\n' };
      yield { path: 'data/train.jsonl', rows: rows() };
    }
    patched('open', (path) => String(path).endsWith('files/app.py') && fail('EACCES'));
    const { signal } = new AbortController();
    await expect(writeFolder({ gymRoot: root, name: NAME }, files(), () => ({}), { signal })).rejects.toThrow(
      'permission denied',
    );
    expect(isRead).toBe(false);
  });

  test('a disk that really is full', async (context) => {
    const disk = join(tempFolder(), 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    context.skip(mounted.status !== 0, 'no right to mount a small disk');
    onTestFinished(() => void spawnSync('umount', [disk]));
    const root = join(disk, 'root');
    await write(root, OLD);
    const before = snapshot(disk);
    await expect(write(root, BIG)).rejects.toMatchObject({ message: 'cannot write: disk full' });
    expect(snapshot(disk)).toEqual(before);

    // Not even room to say whose run it is.
    const filler = join(disk, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(2 << 20))).toThrow('ENOSPC');
    await expect(write(root, { ...OLD, 'app.py': 'new\n' })).rejects.toThrow('disk full');
    rmSync(filler);
    expect(snapshot(disk)).toEqual(before);
  });

  test('another file system below the Gym root', async (context) => {
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
});

describe('a folder that is new', () => {
  const files: Files = { 'app.py': 'new\n', 'data/train.jsonl': ['{"new":1}\n'] };
  const written = { 'app.py': 'new\n', 'data/train.jsonl': '{"new":1}\n', 'gymgen.lock.json': expect.anything() };

  test('is put in place in one step', async () => {
    const root = tempFolder();
    const renamed: unknown[] = [];
    patched('rename', (_, to) => void renamed.push(to));
    await write(root, files);
    expect(renamed).toEqual([folderOf(root)]);
    expect(snapshot(folderOf(root))).toMatchObject(written);
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test.each(['EXDEV', 'EPERM'])('is put in place file by file where folders are not moved (%s)', async (code) => {
    const root = tempFolder();
    patched('rename', (_, to) => to === folderOf(root) && fail(code));
    await write(root, files);
    expect(snapshot(folderOf(root))).toMatchObject(written);
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('is of the group that the folder of the servers gives to what is made in it', async (context) => {
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

  test('is filled, file by file, where somebody else made it meanwhile', async () => {
    const root = tempFolder();
    const venv = join(folderOf(root), '.venv');
    patched('rename', (_, to) => to === folderOf(root) && mkdirSync(venv, { recursive: true }));
    await write(root, files);
    expect(snapshot(folderOf(root))).toMatchObject({ ...written, '.venv': null });
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('is on the disk before it is put in place, each file once', async () => {
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

  test('is not there where the disk could not keep it, which is told', async () => {
    const root = join(tempFolder(), 'root');
    await patchedHandle('sync', () => fail('ENOSPC'));
    await expect(write(root, { ...files, 'z.py': 'z\n' })).rejects.toThrow('disk full');
    expect(existsSync(root)).toBe(false);
  });

  test('is not there where it could not be moved, which is told', async () => {
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

test('a failure while the lock file is staged leaves the old folder', async () => {
  const root = tempFolder();
  await write(root, OLD);
  const before = snapshot(root);
  patched('open', (path) => String(path).endsWith('files/gymgen.lock.json') && fail('ENOSPC'));
  await expect(write(root, { 'app.py': 'new\n' })).rejects.toThrow('disk full');
  expect(snapshot(root)).toEqual(before);
});

test('a failure while files are put in place says that the next command finishes it, which it does', async () => {
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

/** From here on a write of more than a megabyte in all fails, as on a full disk. */
function fullDisk(): Promise<void> {
  let left = 1 << 20;
  return patchedHandle('writeFile', (data) => {
    left -= (data as Buffer).length;
    if (left < 0) fail('ENOSPC');
  });
}
