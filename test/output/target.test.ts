import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Files, folderOf, NAME, put, rejection, snapshot, tempFolder, write } from './support/gym-root.js';
import { patched } from './support/patched-fs.js';

const LINK = 'a folder of the Gym root is a symlink';
const FILES: Files = { 'app.py': 'run()\n', 'data/train.jsonl': ['{}\n'] };

interface Rejected {
  /** Creates the Gym root in `temp`. */
  given: (temp: string, root: string) => unknown;
  message: string;
  where: (root: string, temp: string) => string;
}

const rejected: [string, Rejected][] = [
  [
    'a Gym root that is a file',
    {
      given: (_, root) => writeFileSync(root, ''),
      message: 'not a folder',
      where: (root) => root,
    },
  ],
  [
    'resources_servers as a symlink that leads nowhere',
    {
      given: (_, root) => symlinkSync('nowhere', join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root) => `${join(root, 'resources_servers')} -> nowhere`,
    },
  ],
  [
    'a Gym root that is a symlink that leads nowhere',
    {
      given: (_, root) => symlinkSync('nowhere', root),
      message: 'broken symlink',
      where: (root) => root,
    },
  ],
  [
    'a folder that gymgen did not write',
    {
      given: (_, root) => put(folderOf(root), { 'mine.py': '' }),
      message: 'was not written by gymgen',
      where: folderOf,
    },
  ],
  [
    'a file at the path of the folder',
    {
      given: (_, root) => put(join(root, 'resources_servers'), { [NAME]: '' }),
      message: 'not a folder',
      where: folderOf,
    },
  ],
  [
    'resources_servers as a symlink that leaves the root',
    {
      given: (temp, root) => symlinkSync(temp, join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root, temp) => `${join(root, 'resources_servers')} -> ${temp}`,
    },
  ],
  [
    'resources_servers as a symlink to a missing folder outside',
    {
      given: (_, root) => symlinkSync('../new', join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root) => `${join(root, 'resources_servers')} -> ../new`,
    },
  ],
  [
    '.gymgen as a symlink that leaves the root',
    {
      given: (temp, root) => symlinkSync(temp, join(root, '.gymgen'), void mkdirSync(root)),
      message: LINK,
      where: (root, temp) => `${join(root, '.gymgen')} -> ${temp}`,
    },
  ],
  [
    'the folder as a symlink to another server',
    {
      given: (_, root) => {
        mkdirSync(join(root, 'resources_servers', 'other'), { recursive: true });
        symlinkSync('other', folderOf(root));
      },
      message: LINK,
      where: (root) => `${folderOf(root)} -> other`,
    },
  ],
  [
    'a file of the lock file below a symlink that leaves the root',
    {
      given: async (temp, root) => {
        await write(root, { ...FILES, 'old/gone.txt': 'x' });
        put(temp, { 'gone.txt': 'x' });
        const old = join(folderOf(root), 'old');
        (await import('node:fs')).rmSync(old, { recursive: true });
        symlinkSync(temp, old);
      },
      message: LINK,
      where: (root, temp) => `${join(folderOf(root), 'old')} -> ${temp}`,
    },
  ],
  [
    'resources_servers as a symlink to itself',
    {
      given: (_, root) => symlinkSync('resources_servers', join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root) => `${join(root, 'resources_servers')} -> resources_servers`,
    },
  ],
];

describe('a target that is rejected before any file is requested, with nothing changed', () => {
  for (const dryRun of [false, true]) {
    test.each(rejected)(`%s${dryRun ? ' (dry run)' : ''}`, async (_, { given, message, where }) => {
      const temp = tempFolder();
      const root = join(temp, 'root');
      await given(temp, root);
      const before = snapshot(temp);
      const error = await rejection(root, dryRun);
      expect(error.message).toContain(message);
      expect(error.where).toBe(where(root, temp));
      expect(snapshot(temp)).toEqual(before);
    });
  }
});

test.each([false, true])('a Gym root below a file is rejected (dry run: %s)', async (dryRun) => {
  const temp = tempFolder();
  put(temp, { file: '' });
  const error = await rejection(join(temp, 'file', 'root'), dryRun);
  expect(error).toMatchObject({ message: 'not a folder', where: join(temp, 'file') });
});

test('a new file below a symlink is rejected before its rows are read', async () => {
  const temp = tempFolder();
  const root = join(temp, 'root');
  await write(root, { 'app.py': '' });
  symlinkSync(temp, join(folderOf(root), 'data'));
  const before = snapshot(temp);
  await expect(write(root, FILES)).rejects.toThrow(LINK);
  expect(snapshot(temp)).toEqual(before);
});

test('a symlink to another folder of the Gym root is rejected, too', async () => {
  const root = tempFolder();
  await write(root, { 'app.py': '' });
  mkdirSync(join(root, 'big'));
  symlinkSync('../../big', join(folderOf(root), 'data'));
  const before = snapshot(root);
  await expect(write(root, FILES)).rejects.toMatchObject({
    message: LINK,
    where: `${join(folderOf(root), 'data')} -> ../../big`,
    fix: expect.stringContaining('real folder'),
  });
  expect(snapshot(root)).toEqual(before);
});

test('a relative Gym root, in any spelling, is accepted', async () => {
  const temp = tempFolder();
  const spelt = `./${relative(process.cwd(), temp)}/x/../root/`;
  await write(spelt, FILES);
  expect(existsSync(join(folderOf(join(temp, 'root')), 'app.py'))).toBe(true);
  expect((await write(spelt, FILES)).changed).toBe(false);
});

test.each(['root', 'root/below'])('a Gym root may be a symlink or below one: %s', async (path) => {
  const temp = tempFolder();
  mkdirSync(join(temp, 'real'));
  symlinkSync('real', join(temp, 'root'));
  await write(join(temp, path), FILES);
  await write(join(temp, path), { ...FILES, 'app.py': 'new\n' });
  expect(existsSync(join(folderOf(join(temp, path.replace('root', 'real'))), 'app.py'))).toBe(true);
});

test('a folder at the path of a file stops the run before anything is written', async () => {
  const root = tempFolder();
  await write(root, FILES);
  put(folderOf(root), { 'new.py/mine.txt': '' });
  const before = snapshot(root);
  await expect(write(root, { ...FILES, 'new.py': 'x' }, { edits: 'ours' })).rejects.toMatchObject({
    message: 'a file to write is blocked by a non-file',
    where: join(folderOf(root), 'new.py'),
  });
  expect(snapshot(root)).toEqual(before);
});

test('a file at the path of a folder stops the run before anything is written', async () => {
  const root = tempFolder();
  await write(root, { 'app.py': '' });
  put(folderOf(root), { data: 'mine' });
  const before = snapshot(root);
  await expect(write(root, FILES)).rejects.toMatchObject({
    message: 'not a folder',
    where: join(folderOf(root), 'data'),
  });
  expect(snapshot(root)).toEqual(before);
});

test('a folder that another run creates during the check is accepted', async () => {
  const root = tempFolder();
  patched('lstat', (path) => path === join(root, '.gymgen') && mkdirSync(join(root, '.gymgen'), { recursive: true }));
  expect((await write(root, FILES)).changed).toBe(true);
});

test('a file or a symlink at the path of a staging folder is rejected', async () => {
  for (const [path, where] of [
    ['.gymgen', '.gymgen'],
    [`.gymgen/${NAME}`, `.gymgen/${NAME}`],
  ] as const) {
    const root = tempFolder();
    put(root, { [path]: '' });
    expect(await rejection(root)).toMatchObject({ message: 'not a folder', where: join(root, where) });
  }
  const root = tempFolder();
  symlinkSync('nowhere', join(root, '.gymgen'));
  expect(await rejection(root)).toMatchObject({ message: LINK, where: `${join(root, '.gymgen')} -> nowhere` });
});
