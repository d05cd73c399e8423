import { expect, test } from 'vitest';
import { PathGuard } from '../../src/output/path-guard.js';
import { writeFolder } from '../../src/output/write-folder.js';
import { outputs, tempFolder } from './support/gym-root.js';

test.each(['', '/a', 'a/', 'a//b', '.', './a', 'a/../b', '..', 'a\\b', 'a\0b', 'gymgen.lock.json', 'Gymgen.Lock.JSON'])(
  'the path %j of a generated file is a bug',
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
])("the paths %j and %j are in each other's way", (one, other) => {
  const guard = new PathGuard();
  guard.add(one);
  expect(() => guard.add(other)).toThrow('in the way of another');
});

test('paths that only look alike are not', () => {
  const guard = new PathGuard();
  for (const path of ['a/b', 'a/bc', 'ab', 'a.b', '...', 'a/..b']) guard.add(path);
});

test.each(['', '..', 'a/b', '.hidden', 'a b'])('the name %j is a bug', async (name) => {
  const options = { signal: new AbortController().signal };
  const written = writeFolder({ gymRoot: tempFolder(), name }, outputs({}), () => ({}), options);
  await expect(written).rejects.toThrow('not the name of a folder');
});
