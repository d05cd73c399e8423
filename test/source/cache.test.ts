import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os, { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytecodeFolder, cachedFolder, cacheFolder, knownFolder } from '../../src/source/cache.js';
import { failureOf } from '../support/failure-of.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a user that the system does not know has a cache folder', () => {
  vi.stubEnv('XDG_CACHE_HOME', '');
  vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
  });
  expect(cacheFolder()).toBe('/.cache/gymgen');
});

test.each([
  ['/caches', '/home/me', '/caches/gymgen'],
  ['', '/home/me', '/home/me/.cache/gymgen'],
  ['caches', '/home/me', '/home/me/.cache/gymgen'],
  ['', '', '/.cache/gymgen'],
])('the cache folder does not depend on the current folder: XDG_CACHE_HOME=%j HOME=%j', (cache, home, folder) => {
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.stubEnv('HOME', home);
  expect(cacheFolder()).toBe(folder);
});

describe('a cached folder', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'gymgen-cache-'));
    created = [];
    vi.stubEnv('XDG_CACHE_HOME', join(home, 'cache'));
    vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  let created: string[];
  const cached = (identity = 'one') =>
    cachedFolder('envs/own/example', identity, async (fresh) => {
      created.push(fresh);
      writeFileSync(join(fresh, 'program'), 'ours');
    });

  test('is created once for each identity, in folders that only this user can read', async () => {
    const umask = process.umask(0);
    try {
      const folder = await cached();
      expect(await cached()).toBe(folder);
      expect(await cached('other')).not.toBe(folder);
      expect(created).toHaveLength(2);
      for (const below of ['.', 'envs', 'envs/own']) {
        expect(statSync(join(home, 'cache/gymgen', below)).mode & 0o777).toBe(0o700);
      }
    } finally {
      process.umask(umask);
    }
  });

  test.each<[string, (folder: string) => void]>([
    ['has no stamp', (folder) => rmSync(join(folder, 'gymgen-stamp'))],
    ['has the stamp of another key', () => rmSync(join(home, 'state'), { recursive: true })],
    ['has the stamp of another folder', (folder) => writeFileSync(join(folder, 'gymgen-stamp'), '0'.repeat(64))],
    [
      'is a link',
      (folder) => {
        rmSync(folder, { recursive: true });
        symlinkSync(tmpdir(), folder);
      },
    ],
    [
      'is a file',
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, 'planted');
      },
    ],
  ])('is created again if it %s', async (_, tamper) => {
    const folder = await cached();
    tamper(folder);
    expect(await knownFolder('envs/own/example', 'one')).toBeUndefined();
    await cached();
    expect(created).toHaveLength(2);
    expect(readdirSync(join(home, 'cache/gymgen/envs/own'))).toHaveLength(1);
    expect(readdirSync(dirname(folder))).toHaveLength(1);
  });

  test('has a different path for each user, so that a commit cannot know it', async () => {
    const folder = await cached();
    rmSync(join(home, 'state'), { recursive: true });
    expect(await cached()).not.toBe(folder);
  });

  test.each<[string, (cache: string) => void]>([
    ['others can write it', (cache) => chmodSync(cache, 0o777)],
    ['a group can write it', (cache) => chmodSync(cache, 0o770)],
    ...(process.getuid?.() === 0
      ? [['another user owns it', (cache) => chownSync(cache, 65534, 65534)] as [string, (cache: string) => void]]
      : []),
    [
      'it is a link',
      (cache) => {
        rmSync(cache, { recursive: true });
        mkdirSync(join(home, 'elsewhere'));
        symlinkSync(join(home, 'elsewhere'), cache);
      },
    ],
  ])('is refused if the cache is not private: %s', async (_, change) => {
    const cache = join(home, 'cache/gymgen');
    mkdirSync(cache, { recursive: true });
    change(cache);
    const failure = await failureOf(cached());
    expect(failure).toMatch(/the cache folder is not private/);
    expect(failure).toMatch(/fix: remove it, or set XDG_CACHE_HOME/);
    expect(created).toEqual([]);
    expect(await bytecodeFolder()).toBeUndefined();
  });

  test('of bytecode is replaced if it came with a checkout', async () => {
    const folder = String(await bytecodeFolder());
    writeFileSync(join(folder, 'planted.pyc'), '');
    rmSync(join(home, 'state'), { recursive: true });
    expect(await bytecodeFolder()).not.toBe(folder);
    expect(existsSync(folder)).toBe(false);
  });
});
