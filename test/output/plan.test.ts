import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changesIn, type Files, folderOf, put, snapshot, tempFolder, write } from './support/gym-root.js';

const FIRST: Files = {
  'app.py': 'run()\n',
  'configs/gridsim_v1.yaml': { content: 'a:\n  url: "u"\n', settings: /^\s*tool_timeout:/ },
  'data/eval.jsonl': ['{"index":0}\n'],
  'data/train.jsonl': ['{"index":0}\n', '{"index":1}\n{"index":2}\n'],
};

interface Case {
  /** Changes the folder after the first write. */
  given?: (folder: string) => void;
  /** What the second run generates, merged into FIRST; `undefined` removes a file. */
  next?: Record<string, Files[string] | undefined>;
  force?: boolean;
  plan: Record<string, string>;
  /** Files that differ from the generated ones, by path; `undefined` if there must be none. */
  disk?: Record<string, string | undefined>;
}

const lock = { 'gymgen.lock.json': 'update' };
const cases: [string, Case][] = [
  ['without changes, nothing is written', { plan: {} }],
  ['a changed text is updated', { next: { 'app.py': 'run(1)\n' }, plan: { 'app.py': 'update', ...lock } }],
  ['a new file is created', { next: { 'a/b/c.txt': 'c' }, plan: { 'a/b/c.txt': 'create', ...lock } }],
  [
    'a deleted file is created again; the lock file stays',
    { given: (folder) => rmSync(join(folder, 'app.py')), plan: { 'app.py': 'create' } },
  ],
  [
    'a file that is no longer generated is removed, with its empty folder',
    {
      next: { 'configs/gridsim_v1.yaml': undefined },
      plan: { 'configs/gridsim_v1.yaml': 'stale', ...lock },
      disk: { configs: undefined },
    },
  ],
  [
    'a folder with a file of the user is not removed',
    {
      given: (folder) => put(folder, { 'configs/mine.yaml': 'm' }),
      next: { 'configs/gridsim_v1.yaml': undefined },
      plan: { 'configs/gridsim_v1.yaml': 'stale', ...lock },
      disk: { 'configs/mine.yaml': 'm' },
    },
  ],
  [
    'a stale file may already be deleted',
    {
      given: (folder) => rmSync(join(folder, 'app.py')),
      next: { 'app.py': undefined },
      plan: lock,
    },
  ],
  [
    'an edit that equals the generated file is no edit',
    {
      given: (folder) => put(folder, { 'app.py': 'run(2)\n' }),
      next: { 'app.py': 'run(2)\n' },
      plan: lock,
    },
  ],
  [
    'with force, an edited file is replaced',
    {
      given: (folder) => put(folder, { 'app.py': 'mine\n' }),
      force: true,
      plan: { 'app.py': 'edited' },
    },
  ],
  [
    'with force, an edited stale file is removed',
    {
      given: (folder) => put(folder, { 'app.py': 'mine\n' }),
      next: { 'app.py': undefined },
      force: true,
      plan: { 'app.py': 'edited: no longer generated', ...lock },
      disk: { 'app.py': undefined },
    },
  ],
  [
    'with force, a file of the user at a generated path is replaced',
    {
      given: (folder) => put(folder, { 'new.py': 'mine\n' }),
      next: { 'new.py': 'ours\n' },
      force: true,
      plan: { 'new.py': 'edited: not written by gymgen', ...lock },
    },
  ],
  [
    'with force, a symlink is replaced; its target stays',
    {
      given: (folder) => {
        put(folder, { 'mine/app.py': 'mine\n' });
        rmSync(join(folder, 'app.py'));
        symlinkSync('mine/app.py', join(folder, 'app.py'));
      },
      force: true,
      plan: { 'app.py': 'edited: replaced by a symlink' },
      disk: { 'mine/app.py': 'mine\n' },
    },
  ],
  [
    'changed settings are no edit: the file is updated',
    {
      given: (folder) => put(folder, { 'configs/gridsim_v1.yaml': 'a:\n  url: "u"\n  tool_timeout: 5\n' }),
      next: {
        'configs/gridsim_v1.yaml': { content: 'a:\n  url: "v"\n  tool_timeout: 5\n', settings: /^\s*tool_timeout:/ },
      },
      plan: { 'configs/gridsim_v1.yaml': 'update', ...lock },
    },
  ],
  [
    'with kept settings, the file and the lock file are the same',
    {
      given: (folder) => put(folder, { 'configs/gridsim_v1.yaml': 'a:\n  url: "u"\n  tool_timeout: 5\n' }),
      next: {
        'configs/gridsim_v1.yaml': { content: 'a:\n  url: "u"\n  tool_timeout: 5\n', settings: /^\s*tool_timeout:/ },
      },
      plan: {},
    },
  ],
  [
    'in a file that is no longer generated, changed settings are an edit',
    {
      force: true,
      given: (folder) => put(folder, { 'configs/gridsim_v1.yaml': 'a:\n  tool_timeout: 9\n  url: "u"\n' }),
      next: { 'configs/gridsim_v1.yaml': undefined },
      plan: { 'configs/gridsim_v1.yaml': 'edited: no longer generated', ...lock },
      disk: { configs: undefined },
    },
  ],
  [
    'CRLF is not a change',
    {
      given: (folder) => put(folder, { 'app.py': 'run()\r\n', 'data/eval.jsonl': '{"index":0}\r\n' }),
      plan: {},
      disk: { 'app.py': 'run()\r\n', 'data/eval.jsonl': '{"index":0}\r\n' },
    },
  ],
  [
    'CRLF with a generated change is not an edit',
    {
      given: (folder) => put(folder, { 'app.py': 'run()\r\n' }),
      next: { 'app.py': 'run(3)\n' },
      plan: { 'app.py': 'update', ...lock },
    },
  ],
  [
    'CRLF in a file with settings is not an edit',
    {
      given: (folder) => put(folder, { 'configs/gridsim_v1.yaml': 'a:\r\n  tool_timeout: 9\r\n  url: "u"\r\n' }),
      plan: { 'configs/gridsim_v1.yaml': 'update' },
    },
  ],
  [
    'files that Gym derived are removed if their rows change, and stay otherwise',
    {
      given: (folder) =>
        put(folder, {
          'data/train_metrics.json': '{}',
          'data/train_prepare.jsonl': '',
          'data/eval_metrics.json': '{}',
        }),
      next: { 'data/train.jsonl': ['{"index":9}\n'] },
      plan: {
        'data/train.jsonl': 'update',
        'data/train_metrics.json': 'stale: derived by Gym from rows that change',
        'data/train_prepare.jsonl': 'stale: derived by Gym from rows that change',
        ...lock,
      },
      disk: {
        'data/eval_metrics.json': '{}',
        'data/train_metrics.json': undefined,
        'data/train_prepare.jsonl': undefined,
      },
    },
  ],
  [
    'files that Gym derived are removed with their rows',
    {
      given: (folder) => put(folder, { 'data/eval_metrics.json': '{}' }),
      next: { 'data/eval.jsonl': undefined },
      plan: {
        'data/eval.jsonl': 'stale',
        'data/eval_metrics.json': 'stale: derived by Gym from rows that are removed',
        ...lock,
      },
      disk: { 'data/eval_metrics.json': undefined },
    },
  ],
  [
    'files that Gym derived stay if their rows are restored unchanged',
    {
      given: (folder) => {
        put(folder, { 'data/eval_metrics.json': '{}' });
        rmSync(join(folder, 'data/eval.jsonl'));
      },
      plan: { 'data/eval.jsonl': 'create' },
      disk: { 'data/eval_metrics.json': '{}' },
    },
  ],
  [
    'a generated file named like a derived one is kept',
    {
      next: { 'data/train.jsonl': [], 'data/train_prepare.jsonl': ['{}\n'] },
      plan: { 'data/train.jsonl': 'update', 'data/train_prepare.jsonl': 'create', ...lock },
    },
  ],
  [
    'files that gymgen did not write are kept',
    {
      given: (folder) =>
        put(folder, { '.venv/bin/python': 'p', '__pycache__/a.pyc': 'c', 'data/example_rollouts.jsonl': 'r' }),
      next: { 'app.py': 'new\n', 'data/eval.jsonl': undefined },
      plan: { 'app.py': 'update', 'data/eval.jsonl': 'stale', ...lock },
      disk: { '.venv/bin/python': 'p', '__pycache__/a.pyc': 'c', 'data/example_rollouts.jsonl': 'r' },
    },
  ],
];

describe('the state of each file, and the result', () => {
  test.each(cases)('%s', async (_, { given, next = {}, force = false, plan, disk = {} }) => {
    const root = tempFolder();
    const folder = folderOf(root);
    await write(root, FIRST);
    given?.(folder);
    const before = snapshot(root);
    const files = Object.fromEntries(
      Object.entries({ ...FIRST, ...next }).filter(([, file]) => file !== undefined),
    ) as Files;

    const dry = await write(root, files, { edits: force ? 'ours' : 'refuse', dryRun: true });
    expect(changesIn(dry)).toEqual(plan);
    expect(snapshot(root)).toEqual(before);

    const written = await write(root, files, { edits: force ? 'ours' : 'refuse' });
    expect(written).toEqual(dry);
    expect(written.changed).toBe(Object.keys(plan).length > 0);
    const expected: Record<string, string | undefined> = { ...texts(files), ...disk };
    for (const [path, text] of Object.entries(expected)) {
      if (text === undefined) expect(existsSync(join(folder, path)), path).toBe(false);
      else expect(snapshot(folder)[path], path).toBe(text);
    }
    expect(existsSync(join(root, '.gymgen'))).toBe(false);
    expect((await write(root, files)).changed).toBe(false);
  });
});

test('the first write creates the root and reports the rows of each file', async () => {
  const root = join(tempFolder(), 'not', 'yet');
  const dry = await write(root, FIRST, { dryRun: true });
  expect(existsSync(root)).toBe(false);
  const written = await write(root, FIRST);
  expect(written).toEqual(dry);
  expect(written.folder).toBe(folderOf(root));
  expect(written.plan.rows).toEqual({ 'data/eval.jsonl': 1, 'data/train.jsonl': 3 });
  expect(written.plan.entries.map((entry) => entry.path)).toEqual([...Object.keys(FIRST), 'gymgen.lock.json']);
});

test('a run without changes leaves all time stamps', async () => {
  const root = tempFolder();
  await write(root, FIRST);
  const stamps = () =>
    Object.keys(snapshot(folderOf(root))).map((path) => statSync(join(folderOf(root), path)).mtimeMs);
  const before = [statSync(folderOf(root)).mtimeMs, ...stamps()];
  expect((await write(root, FIRST)).changed).toBe(false);
  expect([statSync(folderOf(root)).mtimeMs, ...stamps()]).toEqual(before);
});

test('an unchanged file keeps its time stamp if another one changes', async () => {
  const root = tempFolder();
  await write(root, FIRST);
  const stamp = () => statSync(join(folderOf(root), 'data/train.jsonl'), { bigint: true });
  const before = stamp();
  await write(root, { ...FIRST, 'app.py': 'new\n' });
  expect([stamp().mtimeNs, stamp().ino]).toEqual([before.mtimeNs, before.ino]);
});

function texts(files: Files): Record<string, string> {
  const text = (file: Files[string]) =>
    typeof file === 'string' ? file : Array.isArray(file) ? file.join('') : file.content;
  return Object.fromEntries(Object.entries(files).map(([path, file]) => [path, text(file)]));
}
