import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OutputFile, writeFolder } from '../../src/output/index.js';
import { type Files, NAME, snapshot, tempFolder, write } from './support/gym-root.js';
import { fail, patched, patchedWrite } from './support/patched-fs.js';

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

describe('an error of the file system during staging is reported, without leftovers', () => {
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

  test('a path that is really too long', async () => {
    const temp = tempFolder();
    const written = write(join(temp, 'root'), { [`data/${'x'.repeat(250)}.jsonl`]: ['{}\n'] });
    await expect(written).rejects.toMatchObject({ message: 'cannot write: path too long' });
    expect(readdirSync(temp)).toEqual([]);
  });

  test('a disk that becomes full while rows are written', async () => {
    const root = tempFolder();
    await write(root, OLD);
    const before = snapshot(root);
    fullDisk();
    await expect(write(root, BIG)).rejects.toMatchObject({
      name: 'UserError',
      message: 'cannot write: disk full',
    });
    expect(snapshot(root)).toEqual(before);
  });

  test('a text file among others', async () => {
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

  test('a text file, before the rows after it are read', async () => {
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

  test('a disk that is really full', async (context) => {
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

    // The disk has no room even for the owner file.
    const filler = join(disk, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(2 << 20))).toThrow('ENOSPC');
    await expect(write(root, { ...OLD, 'app.py': 'new\n' })).rejects.toThrow('disk full');
    rmSync(filler);
    expect(snapshot(disk)).toEqual(before);
  });
});

test('an error while the lock file is staged leaves the old folder', async () => {
  const root = tempFolder();
  await write(root, OLD);
  const before = snapshot(root);
  patched('open', (path) => String(path).endsWith('files/gymgen.lock.json') && fail('ENOSPC'));
  await expect(write(root, { 'app.py': 'new\n' })).rejects.toThrow('disk full');
  expect(snapshot(root)).toEqual(before);
});

/** From now on, writes fail after one megabyte in total, as on a full disk. */
function fullDisk(): void {
  let left = 1 << 20;
  patchedWrite((data) => {
    left -= data.length;
    if (left < 0) fail('ENOSPC');
  });
}
