import { expect, test } from 'vitest';
import { writeFolder } from '../../src/output/index.js';
import { hasGitPart, isSafePath, isShortPath, PathGuard } from '../../src/output/paths.js';
import { outputs, tempFolder } from './support/gym-root.js';

test.each(['', '/a', 'a/', 'a//b', '.', './a', 'a/../b', '..', 'a\\b', 'a\0b', 'gymgen.lock.json', 'Gymgen.Lock.JSON'])(
  'a generated file with the path %j is a bug',
  (path) => {
    expect(() => new PathGuard().add(path)).toThrow('generated file');
  },
);

test.each([
  ['data/a.jsonl', 'data/a.jsonl'],
  ['data/a.jsonl', 'data/A.jsonl'],
  ['data/\u00e9.jsonl', 'data/e\u0301.jsonl'],
  ['a', 'a/b'],
  ['a/b', 'A'],
  ['a/b/c', 'a/b'],
])('the paths %j and %j conflict', (one, other) => {
  const guard = new PathGuard();
  guard.add(one);
  expect(() => guard.add(other)).toThrow('conflicts with another');
});

test('paths that only look similar do not conflict', () => {
  const guard = new PathGuard();
  for (const path of ['a/b', 'a/bc', 'ab', 'a.b', '...', 'a/..b']) guard.add(path);
});

test.each(['', '..', 'a/b', '.hidden', 'a b'])('a folder with the name %j is a bug', async (name) => {
  const options = { signal: new AbortController().signal };
  const written = writeFolder({ gymRoot: tempFolder(), name }, outputs({}), () => ({}), options);
  await expect(written).rejects.toThrow('not the name of a folder');
});

test.each([
  [
    'in .git',
    '.git/config',
    '.GIT/hooks/x',
    'a/.git',
    'a/.Git/b',
    'git~1/config',
    'a/GIT~2',
    '.git./x',
    '.git /x',
    '.g\u200cit/x',
  ],
  ['that leaves the folder', '..', 'a/../b', '../x', './x', '.. /x', 'a//b', '/etc/x', '', 'a/'],
  ['of another operating system', 'a\\b', 'C:/x', 'a:b', '.git::$INDEX_ALLOCATION/x'],
  ['with control characters', 'a\nb', 'a\u0000', 'a\u007f', 'a\u0085b'],
])('a path %s is not safe', (_, ...paths) => {
  for (const path of paths) expect(isSafePath(path), path).toBe(false);
});

test.each(['x'.repeat(256), 'é'.repeat(128), `${'x/'.repeat(600)}x`])(
  'a path that exceeds the limits of file systems is not short: %s',
  (path) => {
    expect(isShortPath(path)).toBe(false);
  },
);

test.each(['.gitignore', '.github/x.yml', 'git/x', 'a/git~x', 'data/a b.jsonl', '...', 'x'.repeat(255), 'é/ü.txt'])(
  '%s is safe',
  (path) => {
    expect(isSafePath(path) && isShortPath(path)).toBe(true);
    expect(hasGitPart(path)).toBe(false);
  },
);
