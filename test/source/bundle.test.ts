import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleReference, openBundle } from '../../src/source/bundle.js';

let work: string;
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'gymgen-bundle-')));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(work, { recursive: true, force: true });
});

describe('a bundle is not served in the current folder', () => {
  beforeEach(() => {
    for (const folder of ['bin', 'home', 'bundle']) mkdirSync(join(work, folder));
    // Behaves like a Python that has AgentEnv, and records the folder that it runs in.
    const python = `#!/bin/sh\npwd >> ${work}/calls\n[ "$1" = -c ] && exit 0\necho '{"url": "http://h", "framework": "1"}'\nexec cat\n`;
    writeFileSync(join(work, 'bin/python3'), python, { mode: 0o755 });
    vi.stubEnv('PATH', [join(work, 'bin'), '/usr/bin', '/bin'].join(delimiter));
    vi.stubEnv('VIRTUAL_ENV', '');
    vi.stubEnv('HOME', join(work, 'home'));
    vi.stubEnv('XDG_CACHE_HOME', join(work, 'cache'));
    vi.stubEnv('XDG_STATE_HOME', join(work, 'state'));
  });

  const context = { reporter: { warn: () => {}, progress: () => {} }, signal: new AbortController().signal };

  test.each<[string, () => Parameters<typeof openBundle>[0], () => string]>([
    ['an installed bundle, in the home folder', () => ({ name: 'hello' }), () => join(work, 'home')],
    ['a folder, in that folder', () => ({ folder: join(work, 'bundle') }), () => join(work, 'bundle')],
  ])('%s', async (_, bundle, folder) => {
    await (await openBundle(bundle(), {}, context)).close();
    expect(readFileSync(join(work, 'calls'), 'utf8').trim().split('\n')).toEqual(['/', folder()]);
  });
});

describe('a config names the folder of a bundle', () => {
  const CONFIGS = 'gym/resources_servers/x/configs';
  const reference = (folder: string, root: string, absolute?: boolean) =>
    bundleReference(join(work, folder), join(work, root, CONFIGS), absolute === undefined ? {} : { absolute });

  beforeEach(() => {
    for (const folder of ['one/.git', 'one/bundles/x', 'two', 'loose'])
      mkdirSync(join(work, folder), { recursive: true });
    writeFileSync(join(work, 'two/.git'), 'gitdir: elsewhere\n'); // a worktree
  });

  test('by a relative path within one repository, from a folder that need not exist', async () => {
    expect(await reference('one/bundles/x', 'one')).toBe('../../../../bundles/x');
    expect(resolve(join(work, 'one', CONFIGS), '../../../../bundles/x')).toBe(join(work, 'one/bundles/x'));
  });

  test('by a path that starts with a dot if the config is above the bundle', async () => {
    expect(await bundleReference(join(work, 'one/bundles/x'), join(work, 'one/bundles'))).toBe('./x');
  });

  test.each([
    ['one/bundles/x', 'two'],
    ['one/bundles/x', 'loose'],
    ['loose', 'one'],
    ['loose', 'loose'],
  ])('by an absolute path if it is in %s and the root in %s', async (folder, root) => {
    expect(await reference(folder, root)).toBe(join(work, folder));
  });

  test('by an absolute path with --absolute, also within one repository', async () => {
    expect(await reference('one/bundles/x', 'one', true)).toBe(join(work, 'one/bundles/x'));
  });

  test('by its real path, as the written server resolves symlinks first', async () => {
    symlinkSync(join(work, 'one/bundles'), join(work, 'two/bundles'));
    symlinkSync(join(work, 'one'), join(work, 'two/root'));
    expect(await reference('two/bundles/x', 'two')).toBe(join(work, 'one/bundles/x'));
    expect(await reference('two/bundles/x', 'two/root')).toBe('../../../../bundles/x');
  });
});
