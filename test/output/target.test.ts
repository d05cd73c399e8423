import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/errors.js';
import { finishCommits, writeFolder } from '../../src/output/index.js';
import { type Files, folderOf, NAME, outputs, put, snapshot, tempFolder, write } from './support/gym-root.js';
import { patched } from './support/patched-fs.js';

const LINK = 'a folder of the Gym root is a symlink';
const FILES: Files = { 'app.py': 'run()\n', 'data/train.jsonl': ['{}\n'] };

/** The error of a write whose target is refused before any file is asked for. */
async function refusal(gymRoot: string, dryRun = false): Promise<UserError> {
  let asked = false;
  async function* watched() {
    asked = true;
    yield* outputs(FILES);
  }
  const options = { signal: new AbortController().signal, dryRun };
  const error = await writeFolder({ gymRoot, name: NAME }, watched(), () => ({}), options).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).fix).toBeTruthy();
  expect(asked).toBe(false);
  return error as UserError;
}

interface Refused {
  /** Makes the Gym root in `temp`. */
  given: (temp: string, root: string) => unknown;
  message: string;
  where: (root: string, temp: string) => string;
}

const refused: [string, Refused][] = [
  [
    'a Gym root that is a file',
    {
      given: (_, root) => writeFileSync(root, ''),
      message: 'not a folder',
      where: (root) => root,
    },
  ],
  [
    'a folder on the way that is a link to nothing',
    {
      given: (_, root) => symlinkSync('nowhere', join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root) => `${join(root, 'resources_servers')} -> nowhere`,
    },
  ],
  [
    'a Gym root that is a link to nothing',
    {
      given: (_, root) => symlinkSync('nowhere', root),
      message: 'symlink leads nowhere',
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
    'a file where the folder goes',
    {
      given: (_, root) => put(join(root, 'resources_servers'), { [NAME]: '' }),
      message: 'not a folder',
      where: folderOf,
    },
  ],
  [
    'resources_servers as a link that leads out',
    {
      given: (temp, root) => symlinkSync(temp, join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root, temp) => `${join(root, 'resources_servers')} -> ${temp}`,
    },
  ],
  [
    'a link that leads out to a folder not there yet',
    {
      given: (_, root) => symlinkSync('../new', join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root) => `${join(root, 'resources_servers')} -> ../new`,
    },
  ],
  [
    'the staging folder as a link that leads out',
    {
      given: (temp, root) => symlinkSync(temp, join(root, '.gymgen'), void mkdirSync(root)),
      message: LINK,
      where: (root, temp) => `${join(root, '.gymgen')} -> ${temp}`,
    },
  ],
  [
    'the folder as a link to another server',
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
    'a file of the lock file behind a link that leads out',
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
    'a link to itself',
    {
      given: (_, root) => symlinkSync('resources_servers', join(root, 'resources_servers'), void mkdirSync(root)),
      message: LINK,
      where: (root) => `${join(root, 'resources_servers')} -> resources_servers`,
    },
  ],
];

describe('a target that is refused before any file is asked for, with nothing changed', () => {
  for (const dryRun of [false, true]) {
    test.each(refused)(`%s${dryRun ? ' (dry run)' : ''}`, async (_, { given, message, where }) => {
      const temp = tempFolder();
      const root = join(temp, 'root');
      await given(temp, root);
      const before = snapshot(temp);
      const error = await refusal(root, dryRun);
      expect(error.message).toContain(message);
      expect(error.where).toBe(where(root, temp));
      expect(snapshot(temp)).toEqual(before);
    });
  }
});

test.each([false, true])('a Gym root below a file is refused (dry run: %s)', async (dryRun) => {
  const temp = tempFolder();
  put(temp, { file: '' });
  const error = await refusal(join(temp, 'file', 'root'), dryRun);
  expect(error).toMatchObject({ message: 'not a folder', where: join(temp, 'file') });
});

test('a link that leads out where a new file goes is refused before its rows are read', async () => {
  const temp = tempFolder();
  const root = join(temp, 'root');
  await write(root, { 'app.py': '' });
  symlinkSync(temp, join(folderOf(root), 'data'));
  const before = snapshot(temp);
  await expect(write(root, FILES)).rejects.toThrow(LINK);
  expect(snapshot(temp)).toEqual(before);
});

test('a folder that is a link to another one of the Gym root is refused, too', async () => {
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

test('a relative Gym root, however it is spelt', async () => {
  const temp = tempFolder();
  const spelt = `./${relative(process.cwd(), temp)}/x/../root/`;
  await write(spelt, FILES);
  expect(existsSync(join(folderOf(join(temp, 'root')), 'app.py'))).toBe(true);
  expect((await write(spelt, FILES)).changed).toBe(false);
});

test.each(['root', 'root/below'])(
  'a Gym root that is a link, or below one, is the folder that it leads to: %s',
  async (path) => {
    const temp = tempFolder();
    mkdirSync(join(temp, 'real'));
    symlinkSync('real', join(temp, 'root'));
    await write(join(temp, path), FILES);
    await write(join(temp, path), { ...FILES, 'app.py': 'new\n' });
    expect(existsSync(join(folderOf(join(temp, path.replace('root', 'real'))), 'app.py'))).toBe(true);
  },
);

test('a folder in the way of a file stops the run before anything is written', async () => {
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

test('a file in the way of a folder stops the run before anything is written', async () => {
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

describe('a second run', () => {
  test('on the same name at once is refused, naming the process and the path', async () => {
    const root = tempFolder();
    async function* slow() {
      yield* outputs(FILES);
      const error = await refusal(root);
      expect(error.message).toBe(`another run is writing this folder: process ${process.pid}`);
      expect(error.where).toBe(folderOf(root));
      expect(error.fix).toContain(join(root, '.gymgen', NAME, 'owner.json'));
      expect(await finishCommits(root)).toEqual([]);
    }
    const signal = new AbortController().signal;
    await writeFolder({ gymRoot: root, name: NAME }, slow(), () => ({}), { signal });
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('on another name at once goes through', async () => {
    const root = tempFolder();
    const signal = new AbortController().signal;
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const one = async (name: string) => {
      await finishCommits(root);
      return writeFolder({ gymRoot: root, name }, outputs(FILES), () => ({}), { signal });
    };
    for (let time = 0; time < 5; time += 1) await Promise.all(names.map(one));
    expect(readdirSync(root)).toEqual(['resources_servers']);
    expect(readdirSync(join(root, 'resources_servers'))).toEqual(names);
  });

  test.each([
    ['dead', JSON.stringify({ pid: 2 ** 22 + 1 })],
    ['another process with its pid', JSON.stringify({ pid: process.pid, started: '1' })],
    ['killed before it said who it is', ''],
  ])('takes over from a run that is %s', async (_, owner) => {
    const root = tempFolder();
    put(join(root, '.gymgen', NAME), { 'owner.json': owner, 'files/app.py': 'half', 'files/data/x': 'y' });
    await write(root, FILES);
    expect(readdirSync(root)).toEqual(['resources_servers']);
  });

  test('never commits what another run has taken over', async () => {
    const root = tempFolder();
    async function* robbed() {
      yield* outputs(FILES);
      put(join(root, '.gymgen', NAME), { 'owner.json': JSON.stringify({ pid: process.ppid }) });
    }
    const signal = new AbortController().signal;
    const write = writeFolder({ gymRoot: root, name: NAME }, robbed(), () => ({}), { signal });
    await expect(write).rejects.toThrow(`another run is writing this folder: process ${process.ppid}`);
    expect(existsSync(folderOf(root))).toBe(false);
  });
});

test('a folder that another run makes while it is looked for is no link to nothing', async () => {
  const root = tempFolder();
  patched('lstat', (path) => path === join(root, '.gymgen') && mkdirSync(join(root, '.gymgen'), { recursive: true }));
  expect((await write(root, FILES)).changed).toBe(true);
});

test('a file where the staging folders go is told', async () => {
  for (const [path, where] of [
    ['.gymgen', '.gymgen'],
    [`.gymgen/${NAME}`, `.gymgen/${NAME}`],
  ] as const) {
    const root = tempFolder();
    put(root, { [path]: '' });
    expect(await refusal(root)).toMatchObject({ message: 'not a folder', where: join(root, where) });
  }
  const root = tempFolder();
  symlinkSync('nowhere', join(root, '.gymgen'));
  expect(await refusal(root)).toMatchObject({ message: LINK, where: `${join(root, '.gymgen')} -> nowhere` });
});
