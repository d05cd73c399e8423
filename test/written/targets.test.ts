import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { targetFolders } from '../../src/written/index.js';

const temp = mkdtempSync(join(tmpdir(), 'gymgen-targets-'));
afterAll(() => rmSync(temp, { recursive: true }));

function put(...folders: string[]): void {
  for (const folder of folders) {
    mkdirSync(join(temp, folder), { recursive: true });
    writeFileSync(join(temp, folder, 'gymgen.lock.json'), '{"format":1,"files":{}}');
  }
}
put('one/resources_servers/shop', 'two/resources_servers/shop', 'two/resources_servers/bank', 'stray/shop');

const [one, two] = [join(temp, 'one'), join(temp, 'two')];

async function found(target: string, ...names: string[]) {
  const { gymRoot, folders } = await targetFolders(target, names);
  return [gymRoot, ...folders.map(({ folder }) => folder)];
}

test('the name is optional if the root has one folder', async () => {
  expect(await found(one)).toEqual([one, join(one, 'resources_servers/shop')]);
});

test('several names keep their order, and each counts once', async () => {
  expect(await found(two, 'shop', 'bank', 'shop')).toEqual([
    two,
    ...['shop', 'bank'].map((name) => join(two, 'resources_servers', name)),
  ]);
});

test('a server folder can be named instead of its root', async () => {
  const folder = join(two, 'resources_servers/bank');
  expect(await found(folder)).toEqual([two, folder]);
});

test.each([
  ['several folders and no name', two, [], 'the Gym root has several folders; choose one', /bank, shop/],
  ['a mistyped name', two, ['bnak'], 'gymgen wrote no folder "bnak" in this Gym root', /did you mean bank/],
  ['another name', two, ['grid'], 'gymgen wrote no folder "grid" in this Gym root', /choose one of bank, shop/],
  [
    'a server folder with a name',
    `${two}/resources_servers/bank`,
    ['bank'],
    "target is a server's folder, not a Gym root",
    /contains/,
  ],
  [
    'a server folder outside a root',
    join(temp, 'stray/shop'),
    [],
    "target is a server's folder, not a Gym root",
    /contains/,
  ],
  ['an empty folder', join(temp, 'stray'), [], 'gymgen wrote no folder in this Gym root', /write a folder/],
])('refuses %s', async (_, target, names, message, fix) => {
  await expect(targetFolders(target, names)).rejects.toMatchObject({
    name: 'UserError',
    message: expect.stringContaining(message),
    fix: expect.stringMatching(fix),
  });
});
