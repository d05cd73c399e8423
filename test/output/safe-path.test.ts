import { expect, test } from 'vitest';
import { hasGitPart, isSafePath, isShortPath } from '../../src/output/safe-path.js';

test.each([
  [
    'a part of git',
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
  ['a way out', '..', 'a/../b', '../x', './x', '.. /x', 'a//b', '/etc/x', '', 'a/'],
  ['of another system', 'a\\b', 'C:/x', 'a:b', '.git::$INDEX_ALLOCATION/x'],
  ['with control characters', 'a\nb', 'a\u0000', 'a\u007f', 'a\u0085b'],
])('a path that is %s is not safe', (_, ...paths) => {
  for (const path of paths) expect(isSafePath(path), path).toBe(false);
});

test.each(['x'.repeat(256), 'é'.repeat(128), `${'x/'.repeat(600)}x`])('a long path is not short: %s', (path) => {
  expect(isShortPath(path)).toBe(false);
});

test.each(['.gitignore', '.github/x.yml', 'git/x', 'a/git~x', 'data/a b.jsonl', '...', 'x'.repeat(255), 'é/ü.txt'])(
  '%s is safe',
  (path) => {
    expect(isSafePath(path) && isShortPath(path)).toBe(true);
    expect(hasGitPart(path)).toBe(false);
  },
);
