import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../src/limits.js';
import { writtenFolders } from '../../src/written/index.js';

let root: string;
let servers: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gymgen-written-'));
  servers = join(root, 'resources_servers');
  onTestFinished(() => rmSync(root, { recursive: true }));
});

function put(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'gymgen.lock.json'), '{"format":1,"files":{}}');
}

test('finds folders with a lock file, and follows no symlinks', async () => {
  put(join(servers, 'b'));
  put(join(servers, 'a'));
  put(join(root, 'elsewhere'));
  mkdirSync(join(servers, 'other'));
  symlinkSync('../elsewhere', join(servers, 'link'));
  expect((await writtenFolders(root)).map(({ name }) => name)).toEqual(['a', 'b']);
});

test('does not follow a symlink resources_servers', async () => {
  put(join(root, 'elsewhere/a'));
  symlinkSync('elsewhere', servers);
  await expect(writtenFolders(root)).rejects.toMatchObject({
    message: 'a folder of the Gym root is a symlink',
    where: `${servers} -> elsewhere`,
  });
});

test('refuses a folder with too many entries', async () => {
  mkdirSync(servers);
  for (let at = 0; at <= LIMITS.rootFolders; at += 1) mkdirSync(join(servers, `f${at}`));
  await expect(writtenFolders(root)).rejects.toMatchObject({
    message: `folder has more than ${LIMITS.rootFolders} entries`,
  });
});
