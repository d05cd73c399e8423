import os from 'node:os';
import { expect, test, vi } from 'vitest';
import { cacheFolder } from '../../src/source/cache.js';

test('a user that the system does not know has a cache folder, too', () => {
  vi.stubEnv('XDG_CACHE_HOME', '');
  const home = vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
  });
  expect(cacheFolder()).toBe('/.cache/gymgen');
  home.mockRestore();
  vi.unstubAllEnvs();
});
