import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { childProcesses } from './support/child.js';
import { type Files, folderOf, snapshot, tempFolder } from './support/gym-root.js';

const run = childProcesses();
// Root may write anywhere, so the child runs as nobody.
const USER = process.getuid?.() === 0 ? 65534 : undefined;
const FILES: Files = { 'app.py': 'run()\n', 'data/train.jsonl': ['{}\n'] };
const CHANGED: Files = { ...FILES, 'data/train.jsonl': ['{"new":1}\n'] };

/** A written Gym root that belongs to the user that the child runs as. */
async function written(): Promise<string> {
  const temp = tempFolder();
  const root = join(temp, 'root');
  mkdirSync(root);
  for (const folder of [temp, root]) if (USER !== undefined) chownSync(folder, USER, USER);
  const outcome = await run({ gymRoot: root, files: FILES }, USER).outcome;
  expect(outcome?.error).toBeUndefined();
  return root;
}

const readOnly: [string, (root: string) => string][] = [
  ['the Gym root', (root) => root],
  ['the folder', folderOf],
  ['a folder in it', (root) => join(folderOf(root), 'data')],
];

test.each(readOnly)('%s without write permission is reported with the fix, and nothing is changed', async (_, pick) => {
  const root = await written();
  const before = snapshot(root);
  chmodSync(pick(root), 0o555);
  const outcome = await run({ gymRoot: root, files: CHANGED }, USER).outcome;
  expect(snapshot(root)).toEqual(before);
  chmodSync(pick(root), 0o755);
  expect(outcome?.error).toMatchObject({
    name: 'UserError',
    message: 'cannot write: permission denied',
    where: pick(root),
    fix: expect.stringContaining('permissions'),
  });
});

test('a dry run works on a read-only Gym root', async () => {
  const root = await written();
  for (const folder of [root, folderOf(root)]) chmodSync(folder, 0o555);
  const outcome = await run({ gymRoot: root, files: CHANGED, dryRun: true }, USER).outcome;
  for (const folder of [root, folderOf(root)]) chmodSync(folder, 0o755);
  expect(outcome).toMatchObject({ changed: true, steps: [] });
});
