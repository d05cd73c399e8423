import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { UserError } from '../../src/errors.js';
import { LIMITS } from '../../src/limits.js';
import { LOCK_FILE, readLock } from '../../src/output/index.js';
import { changesIn, type Files, folderOf, put, snapshot, tempFolder, write } from './support/gym-root.js';

const FILES: Files = {
  'app.py': 'run()\n',
  'configs/gridsim_v1.yaml': { content: 'a:\n  url: "u"\n', settings: /^ +tool_timeout:/ },
  'data/train.jsonl': ['{"index":0}\n'],
};

const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** A root whose lock file lists more files, as in a malicious pull request. */
async function rootWith(files: Record<string, string>, more: object = {}) {
  const root = tempFolder();
  await write(root, FILES);
  const path = join(folderOf(root), LOCK_FILE);
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, `${JSON.stringify({ ...lock, ...more, files: { ...lock.files, ...files } }, null, 2)}\n`);
  return root;
}

describe("a lock file that lists the user's files", () => {
  test('removes no file whose full hash differs', async () => {
    const mine = { '.env': 'K=1\n', 'notes.txt': 'mine\n' };
    const listed = { '.env': hashOf(''), 'notes.txt': hashOf('theirs\n') };
    const root = await rootWith(listed, { settingLines: { '.env': '', 'notes.txt': '^' } });
    put(folderOf(root), mine);
    const before = snapshot(root);
    await expect(write(root, FILES)).rejects.toMatchObject({
      details: ['.env (no longer generated)', 'notes.txt (no longer generated)'],
    });
    expect(snapshot(root)).toEqual(before);
    await write(root, FILES, { edits: 'keep' });
    expect(snapshot(folderOf(root))).toMatchObject(mine);
  });

  test('removes a file with the listed hash, also with CRLF', async () => {
    const root = await rootWith({ 'old.txt': hashOf('a\nb\n') });
    put(folderOf(root), { 'old.txt': 'a\r\nb\r\n' });
    expect(changesIn(await write(root, FILES))).toEqual({ 'old.txt': 'stale', [LOCK_FILE]: 'update' });
    expect(Object.keys(snapshot(folderOf(root)))).not.toContain('old.txt');
  });

  test('overwrites no file that differs in more than settings', async () => {
    const root = await rootWith({}, { settingLines: { 'app.py': '', 'configs/gridsim_v1.yaml': '' } });
    put(folderOf(root), { 'app.py': 'mine()\n', 'configs/gridsim_v1.yaml': 'a:\n  url: "mine"\n' });
    await expect(write(root, { ...FILES, 'app.py': 'run(2)\n' })).rejects.toMatchObject({
      details: ['app.py', 'configs/gridsim_v1.yaml'],
    });
  });

  test.each(['keep', 'ours', 'theirs'] as const)(
    'removes nothing below a symlink, and a symlink only with force (edits: %s)',
    async (edits) => {
      const listed = Object.fromEntries(
        ['out/x', 'out/deep/x', 'link', 'data/train_metrics.json'].map((path) => [path, hashOf('x')]),
      );
      const root = await rootWith(listed);
      const folder = folderOf(root);
      put(root, { 'mine/x': 'x', 'mine/deep/x': 'x' });
      symlinkSync('../../mine', join(folder, 'out'));
      symlinkSync('../../mine/x', join(folder, 'link'));
      const before = snapshot(root);
      await expect(write(root, FILES, { edits })).rejects.toThrow('a folder of the Gym root is a symlink');
      expect(snapshot(root)).toEqual(before);
      rmSync(join(folder, 'out'));
      await write(root, FILES, { edits });
      expect(snapshot(root)).toMatchObject({ 'mine/x': 'x', 'mine/deep/x': 'x' });
      expect(Object.keys(snapshot(folder)).includes('link')).toBe(edits !== 'ours');
    },
  );

  test('removes derived files only if they are regular and their rows are listed or generated', async () => {
    const root = await rootWith({ 'notes/a.jsonl': hashOf('x'), 'data/gone.jsonl': hashOf('x') });
    const folder = folderOf(root);
    const kept = { 'notes/a_metrics.json': '{}', 'data/other_metrics.json': '{}', 'data/gone_prepare.jsonl': '{}' };
    put(folder, { ...kept, 'notes/a.jsonl': 'x', 'data/train_metrics.json': '{}', 'mine.json': '{}' });
    symlinkSync('../mine.json', join(folder, 'data/train_prepare.jsonl'));
    const plan = changesIn(await write(root, { ...FILES, 'data/train.jsonl': ['{"index":1}\n'] }));
    expect(Object.keys(plan).sort()).toEqual(
      ['data/train.jsonl', 'data/train_metrics.json', LOCK_FILE, 'notes/a.jsonl'].sort(),
    );
    expect(snapshot(folder)).toMatchObject({
      ...kept,
      'data/train_prepare.jsonl': '-> ../mine.json',
      'mine.json': '{}',
    });
  });

  test.each(['.git/config', '.GIT/HEAD', 'a/.git', 'git~1/x', 'a\\b', 'x'.repeat(300), 'GYMGEN.lock.json'])(
    'is rejected for the path %j, with and without force',
    async (path) => {
      const root = await rootWith({ [path]: hashOf('') });
      const before = snapshot(root);
      for (const edits of ['refuse', 'ours'] as const) {
        await expect(write(root, FILES, { edits })).rejects.toMatchObject({ message: 'lock file is damaged' });
      }
      expect(snapshot(root)).toEqual(before);
    },
  );
});

test('regular expressions in a lock file are never compiled', async () => {
  const root = await rootWith({}, { settingLines: { 'app.py': '^(a+)+$', x: '(' } });
  put(folderOf(root), { 'app.py': `${'a'.repeat(60)}!\n` });
  const compiled: string[] = [];
  const Original = RegExp;
  vi.stubGlobal(
    'RegExp',
    class extends Original {
      constructor(source: string | RegExp, flags?: string) {
        super(source, flags);
        compiled.push(String(source));
      }
    },
  );
  try {
    expect(changesIn(await write(root, FILES, { dryRun: true }))).toEqual({
      'app.py': 'edited',
      [LOCK_FILE]: 'update',
    });
  } finally {
    vi.unstubAllGlobals();
  }
  expect(compiled).not.toContain('^(a+)+$');
});

describe('a lock file that is too large or not a regular file is rejected', () => {
  const HASH = hashOf('');
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x/${at}`, HASH]));
  const written = (folder: string, text: string) => writeFileSync(join(folder, LOCK_FILE), text);
  const json = (folder: string, lock: object) => written(folder, JSON.stringify({ format: 1, files: {}, ...lock }));

  const cases: [string, (folder: string) => unknown, RegExp][] = [
    ['files', (folder) => json(folder, { files: many(300_000) }), /the limit is 5,000 \(lockFiles\)/],
    ['files in theirs', (folder) => json(folder, { theirs: many(5001) }), /the limit is 5,000 \(lockFiles\)/],
    ['prompts', (folder) => json(folder, { prompts: many(5001) }), /the limit is 5,000 \(lockFiles\)/],
    [
      'keptPrompts',
      (folder) => json(folder, { keptPrompts: Object.keys(many(5001)) }),
      /the limit is 5,000 \(lockFiles\)/,
    ],
    [
      'values',
      (folder) => written(folder, `{"format":1,"x":[${'[],'.repeat(2e6)}[]]}`),
      /the limit is 1,000,000 \(jsonValues\)/,
    ],
    [
      'levels',
      (folder) => written(folder, `{"format":1,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
      /the limit is 100 \(lockDepth\)/,
    ],
    [
      'bytes',
      (folder) => truncateSync(written(folder, '{}') ?? join(folder, LOCK_FILE), LIMITS.lockBytes + 1),
      /the limit is 64 MiB \(lockBytes\)/,
    ],
    ['a link', (folder) => symlinkSync('/dev/zero', join(folder, LOCK_FILE)), /not a regular file/],
    ['a FIFO', (folder) => execFileSync('mkfifo', [join(folder, LOCK_FILE)]), /not a regular file/],
    ['a folder', (folder) => mkdirSync(join(folder, LOCK_FILE)), /not a regular file/],
  ];
  test.each(cases)('%s', async (_, make, message) => {
    const folder = tempFolder();
    make(folder);
    const error = await readLock(folder).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      fix: expect.any(String),
    });
    rmSync(join(folder, LOCK_FILE), { recursive: true });
  });

  test('toolsets and unknown keys are ignored', async () => {
    const folder = tempFolder();
    json(folder, { toolsets: Array.from({ length: 200_000 }, () => 1), later: [{ a: [] }] });
    expect(await readLock(folder)).toMatchObject({ files: {}, later: [{ a: [] }] });
  });

  test('the error names only a few of many faults, in short lines', async () => {
    const folder = tempFolder();
    json(folder, {
      files: Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`../${'x'.repeat(5000)}${at}`, HASH])),
    });
    const error = await readLock(folder).catch((error: unknown) => error);
    expect(error).toMatchObject({ message: 'lock file is damaged', details: { length: 4 } });
    expect(JSON.stringify(error).length).toBeLessThan(3000);
  });
});
