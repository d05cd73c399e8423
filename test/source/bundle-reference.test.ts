import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleReference } from '../../src/source/bundle-reference.js';

let work: string;
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'gymgen-reference-')));
  for (const folder of ['one/.git', 'one/bundles/x', 'two', 'loose'])
    mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(work, 'two/.git'), 'gitdir: elsewhere\n'); // a worktree
});
afterEach(() => rmSync(work, { recursive: true }));

const CONFIGS = 'gym/resources_servers/x/configs';
const reference = (folder: string, root: string, absolute?: boolean) =>
  bundleReference(join(work, folder), join(work, root, CONFIGS), absolute === undefined ? {} : { absolute });

test('in one repository it is relative, from a folder that need not be there', async () => {
  expect(await reference('one/bundles/x', 'one')).toBe('../../../../bundles/x');
  expect(resolve(join(work, 'one', CONFIGS), '../../../../bundles/x')).toBe(join(work, 'one/bundles/x'));
});

test('a config below the bundle still begins with a dot', async () => {
  expect(await bundleReference(join(work, 'one/bundles/x'), join(work, 'one/bundles'))).toBe('./x');
});

test.each([
  ['one/bundles/x', 'two'],
  ['one/bundles/x', 'loose'],
  ['loose', 'one'],
  ['loose', 'loose'],
])('%s for a root in %s: it is absolute', async (folder, root) => {
  expect(await reference(folder, root)).toBe(join(work, folder));
});

test('--absolute makes it so in one repository too', async () => {
  expect(await reference('one/bundles/x', 'one', true)).toBe(join(work, 'one/bundles/x'));
});

test('links are resolved first, as the written server does', async () => {
  symlinkSync(join(work, 'one/bundles'), join(work, 'two/bundles'));
  symlinkSync(join(work, 'one'), join(work, 'two/root'));
  expect(await reference('two/bundles/x', 'two')).toBe(join(work, 'one/bundles/x'));
  expect(await reference('two/bundles/x', 'two/root')).toBe('../../../../bundles/x');
});
