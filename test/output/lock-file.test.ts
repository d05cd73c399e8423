import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finishCommits, LOCK_FILE, readLock, writeFolder } from '../../src/output/index.js';
import {
  changesIn,
  type Files,
  folderOf,
  NAME,
  outputs,
  put,
  snapshot,
  tempFolder,
  write,
} from './support/gym-root.js';

const FILES: Files = {
  'data/train.jsonl': ['{}\n'],
  'a.yaml': { content: 'x\n', settings: /^t:/ },
};

test('the lock file has the record, then the files, sorted; the same input gives the same bytes', async () => {
  const root = tempFolder();
  const record = () => ({ z: 'line\u2028end', a: [1, null] });
  const options = { signal: new AbortController().signal };
  const target = { gymRoot: root, name: NAME };
  await writeFolder(target, outputs(FILES), record, options);
  const text = readFileSync(join(folderOf(root), LOCK_FILE), 'utf8');
  expect(text).toBe(`{
  "format": 2,
  "z": "line\\u2028end",
  "a": [
    1,
    null
  ],
  "files": {
    "a.yaml": "sha256:73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac",
    "data/train.jsonl": "sha256:ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"
  }
}
`);
  expect(await readLock(folderOf(root))).toEqual(JSON.parse(text));

  const backwards = Object.fromEntries(Object.entries(FILES).reverse());
  expect((await writeFolder(target, outputs(backwards), record, options)).changed).toBe(false);
  const other = await writeFolder(target, outputs(FILES), () => ({ z: 1 }), options);
  expect(other.plan.entries.filter((entry) => entry.state !== 'same')).toEqual([{ path: LOCK_FILE, state: 'update' }]);
});

test('a folder that does not exist has no lock file', async () => {
  expect(await readLock(join(tempFolder(), 'no', 'folder'))).toBeUndefined();
});

const damaged: [string, string, string][] = [
  ['written by a newer gymgen', '{"format": 3, "files": []}', 'lock file is from a newer gymgen (format 3, not 2)'],
  ['without files', '{"format": 1}', 'lock file is damaged'],
  ['with a path outside the folder', '{"format":1,"files":{"../../x":"sha256:HASH"}}', 'lock file is damaged'],
  ['with an absolute path', '{"format":1,"files":{"/etc/x":"sha256:HASH"}}', 'lock file is damaged'],
  ['with its own path', '{"format":1,"files":{"gymgen.lock.json":"sha256:HASH"}}', 'lock file is damaged'],
  ['with an invalid hash', '{"format":1,"files":{"x":"md5:1"}}', 'lock file is damaged'],
];

test.each(damaged)('a lock file %s is rejected, and nothing is written', async (_, text, message) => {
  const root = tempFolder();
  await write(root, FILES);
  put(folderOf(root), { [LOCK_FILE]: text.replace('HASH', '0'.repeat(64)) });
  const before = snapshot(root);
  const refused = {
    name: 'UserError',
    message,
    where: join(folderOf(root), LOCK_FILE),
    fix: expect.stringMatching(/./),
  };
  await expect(write(root, FILES, { edits: 'ours' })).rejects.toMatchObject(refused);
  expect(snapshot(root)).toEqual(before);
});

describe('a journal in a Gym root of someone else', () => {
  const staging = (root: string) => join(root, '.gymgen', NAME);

  test.each([
    ['that is truncated', '{"format":1,"wri'],
    ['that deletes outside the folder', '{"format":1,"writes":[],"deletes":["../../mine.txt"]}'],
    ['that writes outside the folder', '{"format":1,"writes":["/tmp/x"],"deletes":[]}'],
    ['of a newer gymgen', '{"format":2}'],
  ])('%s is rejected', async (_, text) => {
    const root = tempFolder();
    put(root, { 'mine.txt': 'mine' });
    put(staging(root), { 'journal.json': text });
    const before = snapshot(root);
    for (const act of [() => finishCommits(root), () => write(root, FILES), () => finishCommits(root)]) {
      await expect(act()).rejects.toMatchObject({ name: 'UserError', where: join(staging(root), 'journal.json') });
      expect(snapshot(root)).toEqual(before);
    }
  });
});

test('entries of other tools in .gymgen/ are left alone', async () => {
  const root = tempFolder();
  put(join(root, '.gymgen'), { 'not a name/x': '', 'note.txt': '' });
  expect(await finishCommits(root)).toEqual([]);
  expect(snapshot(join(root, '.gymgen'))).toMatchObject({ 'not a name/x': '', 'note.txt': '' });
});

test('merge conflicts in a lock file are reported with their line, and nothing is written', async () => {
  const root = tempFolder();
  await write(root, FILES);
  const lock = join(folderOf(root), LOCK_FILE);
  const [first, ...rest] = readFileSync(lock, 'utf8').split('\n');
  writeFileSync(lock, [first, '<<<<<<< HEAD', '  "a": 1,', '=======', '>>>>>>> theirs', ...rest].join('\n'));
  const before = snapshot(root);
  await expect(write(root, FILES)).rejects.toMatchObject({
    name: 'UserError',
    message: 'lock file has unresolved merge conflicts',
    where: `${lock}:2`,
    fix: expect.stringContaining('git checkout --ours'),
  });
  expect(snapshot(root)).toEqual(before);
});

test('a byte order mark in a lock file is accepted', async () => {
  const root = tempFolder();
  await write(root, FILES);
  const lock = join(folderOf(root), LOCK_FILE);
  writeFileSync(lock, `\ufeff${readFileSync(lock, 'utf8')}`);
  expect(changesIn(await write(root, FILES, { dryRun: true }))).toEqual({ [LOCK_FILE]: 'update' });
});
