import os from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { cacheFolder } from '../../src/source/cache.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a user that the system does not know has a cache folder, too', () => {
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
])('is no folder of wherever gymgen runs: XDG_CACHE_HOME=%j HOME=%j', (cache, home, folder) => {
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.stubEnv('HOME', home);
  expect(cacheFolder()).toBe(folder);
});
